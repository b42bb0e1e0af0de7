/** A standing connection to our tmux server: it tells at once that something has changed there. */
export interface ServerLink extends Disposable {
  readonly isConnected: boolean;
  /** @returns Whether the server has answered on the connection. */
  connect(): Promise<boolean>;
}
