/** Drives one tmux server of ours, at a recorded socket. Targets are ids that tmux or mam made. */
export interface Multiplexer {
  readonly socket: string;
  /**
   * Starts a session, and the server when there is none, with the tags in the same command list.
   *
   * @throws {MamError} `name.taken` by a tmux session that is not ours, `tmux.missing`, `tmux.failed`.
   *   The session may have been made all the same: its tag tells.
   */
  newSession(request: NewSessionRequest): Promise<NewTmuxSession>;
  /** Every pane of the server, and the screens of those asked for, in one process each ~60 panes. */
  look(capture: readonly string[]): Promise<ServerLook>;
  /** One screen with `historyLines` rows of scrollback before it. */
  capture(paneId: string, options: { readonly historyLines: number }): Promise<string | undefined>;
  /**
   * Gives `text` to the pane unless number `number` or a later one was given already, and marks it.
   * The text travels on standard input into a private buffer.
   */
  paste(request: PasteRequest): Promise<'done' | 'refused' | 'gone'>;
  /**
   * Settles for good whether `number` was pasted: if not, it never can be from now on, not even by a
   * client that is still under way.
   */
  voidPaste(paneId: string, number: number): Promise<'pasted' | 'voided' | 'gone'>;
  /** Presses a key once for `mark`, only with the cursor where the last look saw it. */
  press(request: PressRequest): Promise<'done' | 'refused' | 'gone'>;
  /** What the tags of the pane's session say; undefined when mam did not make it. */
  identify(paneId: string): Promise<PaneIdentity | undefined>;
  /** Puts our tags on a session that has none. @returns Whether it has them now. */
  adopt(request: AdoptRequest): Promise<boolean>;
  /** Ends a session if it still is the one of this launch. */
  killSession(sessionId: string, launchId: string): Promise<void>;
  /** Ends the session that a monitor's connection was attached to, at the monitor's own end. */
  endKeeper(): Promise<void>;
  /** Ends the server when no session is left. `none`: no server answers, whether one lives or not. */
  killServerIfEmpty(): Promise<'ended' | 'kept' | 'none'>;
  /** The command a person can type, or that replaces us, to attach. */
  attachCommand(sessionId: string, options: AttachOptions): readonly string[];
  /** The same from inside our own server: the client there changes its session. */
  switchCommand(sessionId: string): readonly string[];
  /** Gives the window the size of its clients until the last of them detaches, however that ends. */
  fitWindow(place: PanePlace): Promise<void>;
  version(): Promise<TmuxVersion>;
  /** @throws {MamError} `tmux.missing`, `tmux.too-old`. */
  assertUsable(): Promise<void>;
}

export interface NewSessionRequest {
  readonly name: string;
  /** Kept as tags, for the case that the registry's row is lost. */
  readonly identity: PaneIdentity;
  readonly argv: readonly string[];
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly launchId: string;
}

/** What mam made a session for: its name, role and kind of agent. */
export interface PaneIdentity {
  readonly name: string;
  readonly role: string;
  readonly agent: string;
}

export interface PanePlace {
  readonly sessionId: string;
  readonly paneId: string;
}

export interface AdoptRequest {
  /** `$` and digits. */
  readonly sessionId: string;
  readonly workspaceTag: string;
  readonly sessionTag: string;
  readonly launchTag: string;
}

export interface AttachOptions {
  readonly readOnly: boolean;
  /** The window will take the client's size. */
  readonly fit: boolean;
}

export interface NewTmuxSession {
  readonly sessionId: string;
  readonly sessionName: string;
  readonly paneId: string;
  readonly panePid: number;
  readonly serverPid: number;
}

/** `none`: no server answers at the socket; whether one lives all the same, the caller must prove. */
export type ServerLook =
  | { readonly server: 'none'; readonly reason: string }
  | {
      readonly server: 'up';
      /** Undefined while the server has no session. */
      readonly pid: number | undefined;
      readonly panes: readonly PaneLook[];
    };

export interface PaneLook {
  readonly paneId: string;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly panePid: number;
  readonly paneIndex: number;
  readonly dead: boolean;
  readonly mode: string | undefined;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly title: string;
  /** When something was last written to its window, to the second. Milliseconds since 1970. */
  readonly outputAtMs: number;
  readonly workspaceTag: string;
  readonly sessionTag: string;
  readonly launchTag: string;
  /** Highest number pasted, and highest mark pressed, in this pane. */
  readonly pasted: number;
  readonly pressed: number;
  /** `capture-pane -e -p`, when asked for. */
  readonly captured?: string;
}

export interface PasteRequest {
  readonly paneId: string;
  readonly launchId: string;
  readonly number: number;
  readonly text: string;
  readonly bracketed: boolean;
  /** Where the last look saw it; refused when it has moved. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

export interface PressRequest {
  readonly paneId: string;
  /** The pane must still carry this tag. */
  readonly launchId: string;
  /** tmux's name of it, or the letter or digit itself. */
  readonly key: string;
  readonly mark: number;
  readonly cursor: { readonly x: number; readonly y: number };
}

export interface TmuxVersion {
  /** As printed by `tmux -V`. */
  readonly text: string;
  readonly path: string;
}
