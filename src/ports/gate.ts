/**
 * A gate of this host: many are inside at once, or one alone. Whoever is inside leaves it with its end,
 * however that comes.
 */
export interface HostGate {
  /** Waits for whoever is alone, but not for long: what it guards against is over by then. */
  enter(): Promise<Disposable>;
  /** Undefined while anybody is inside. */
  tryAlone(): Disposable | undefined;
}
