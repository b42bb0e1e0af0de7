export const PASTE_START = '\x1b[200~';
const PASTE_END = Buffer.from('\x1b[201~');

/** Collects the reads of one bracketed paste. Linear in its size; decodes once, at the end. */
export class PasteBuffer {
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;

  /**
   * @returns Once the end mark has come: the text, each CR or CRLF as a newline, and the bytes after
   * the mark; until then `undefined`.
   */
  push(chunk: Buffer): { readonly text: string; readonly rest: Buffer } | undefined {
    const tail = this.#lastBytes(PASTE_END.length - 1);
    const at = Buffer.concat([tail, chunk]).indexOf(PASTE_END);
    const end = this.#sizeBytes - tail.length + at;
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    if (at === -1) return undefined;
    const all = Buffer.concat(this.#chunks);
    return {
      text: all.toString('utf8', 0, end).replace(/\r\n?/g, '\n'),
      rest: all.subarray(end + PASTE_END.length),
    };
  }

  #lastBytes(count: number): Buffer {
    const parts: Buffer[] = [];
    let missing = count;
    for (let i = this.#chunks.length - 1; i >= 0 && missing > 0; i--) {
      const part = this.#chunks[i]?.subarray(-missing) ?? Buffer.alloc(0);
      parts.unshift(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}
