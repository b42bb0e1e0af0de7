/** What the process holds after so many turns, garbage taken away. */
export interface Held {
  readonly turns: number;
  readonly heapBytes: number;
  /** Buffers outside of the heap. */
  readonly externalBytes: number;
  readonly openFiles: number;
}
