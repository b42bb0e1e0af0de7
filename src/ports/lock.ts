/** A lock of this host that its holder's end frees, however it ends. */
export interface HostLock {
  /** @returns What `fn` returned, or undefined when the lock was not free within `timeoutMs`. */
  tryHold<T>(timeoutMs: number, fn: () => T): T | undefined;
  /** Held until it is disposed of; undefined when somebody else holds it. */
  hold(): Disposable | undefined;
}
