/** Runs so many things at a time; those of one lane one after the other. */
export class Lanes {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  readonly #tails = new Map<string, Promise<unknown>>();
  #running = 0;

  /** @param width - 1 or more. */
  constructor(width: number) {
    this.#width = width;
  }

  /** @param lane - Undefined: alone in its own. @returns What `fn` returns, or throws. */
  run<T>(lane: string | undefined, fn: () => Promise<T>): Promise<T> {
    if (lane === undefined) return this.#whenFree(fn);
    const before = this.#tails.get(lane) ?? Promise.resolve();
    const mine = before.then(() => this.#whenFree(fn));
    this.#tails.set(
      lane,
      mine.catch(() => undefined),
    );
    return mine;
  }

  async #whenFree<T>(fn: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
    try {
      return await fn();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
