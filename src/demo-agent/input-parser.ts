import { StringDecoder } from 'node:string_decoder';
import { PASTE_START, PasteBuffer } from './paste-buffer.ts';

/** One thing the user did, in the order of the bytes. */
export type InputEvent =
  | { readonly kind: 'text' | 'paste'; readonly text: string }
  /**
   * `burst`: the end of a paste came in the same read. `pasteAgoMs`: time since that end, `Infinity`
   * when there was no paste.
   */
  | { readonly kind: 'enter'; readonly burst: boolean; readonly pasteAgoMs: number }
  | { readonly kind: Key };

export type Key =
  | 'newline'
  | 'backspace'
  | 'clear-draft'
  | 'escape'
  | 'interrupt'
  | 'end-of-input'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'back-tab';

const controlKeys: ReadonlyMap<string, Key> = new Map([
  ['\n', 'newline'],
  ['\b', 'backspace'],
  ['\x7f', 'backspace'],
  ['\x15', 'clear-draft'],
  ['\x03', 'interrupt'],
  ['\x04', 'end-of-input'],
]);

const sequenceKeys: ReadonlyMap<string, Key> = new Map([
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[B', 'down'],
  ['\x1bOB', 'down'],
  ['\x1b[C', 'right'],
  ['\x1bOC', 'right'],
  ['\x1b[D', 'left'],
  ['\x1bOD', 'left'],
  ['\x1b[Z', 'back-tab'],
]);

/** A whole escape sequence: CSI, or SS3 with its letter. */
const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[A-Za-z])/;
/** The beginning of one, whose rest may come with the next read. */
const SEQUENCE_PART = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/;
const LONGEST_SEQUENCE = 64;
/** Ends at TAB-free control characters: what is before them was typed. */
const TYPED = /[^\0-\x08\x0a-\x1f\x7f]+/y;

/**
 * Turns raw terminal input into events. A paste is one event, however many reads it takes; UTF-8
 * characters and escape sequences may be split anywhere.
 */
export class InputParser {
  readonly #decoder = new StringDecoder('utf8');
  /** Beginning of an escape sequence, from earlier reads. */
  #pending = '';
  #paste: PasteBuffer | undefined;
  #pasteEndedAtMs = Number.NEGATIVE_INFINITY;
  #pasteEndedInThisRead = false;

  /** @param nowMs - When the chunk was read, by any steady clock. */
  feed(chunk: Buffer, nowMs: number): InputEvent[] {
    const events: InputEvent[] = [];
    this.#pasteEndedInThisRead = false;
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#paste === undefined) rest = this.#readKeys(rest, nowMs, events);
      else rest = this.#readPaste(this.#paste, rest, nowMs, events);
    }
    return events;
  }

  /** True while an ESC waits: it is the Escape key if nothing follows soon. */
  get escapeWaits(): boolean {
    return this.#pending !== '';
  }

  /** Decides that the ESC that waits was the Escape key; what followed it is typed text. */
  flushEscape(): InputEvent[] {
    const pending = this.#pending;
    this.#pending = '';
    if (pending === '') return [];
    const events: InputEvent[] = [{ kind: 'escape' }];
    if (pending !== '\x1b') events.push({ kind: 'text', text: pending.slice(1) });
    return events;
  }

  /** Reads up to the start of a paste; returns the bytes after that mark. */
  #readKeys(chunk: Buffer, nowMs: number, events: InputEvent[]): Buffer {
    const { from, after } = this.#findPasteStart(chunk);
    const keys = this.#pending + this.#decoder.write(chunk.subarray(0, from));
    this.#pending = '';
    this.#parseKeys(keys, nowMs, events);
    if (after === undefined) return Buffer.alloc(0);
    events.push(...this.flushEscape());
    this.#paste = new PasteBuffer();
    return chunk.subarray(after);
  }

  /** Where the mark begins (0 when earlier reads hold its beginning) and what follows it. */
  #findPasteStart(chunk: Buffer): { readonly from: number; readonly after?: number } {
    const held = this.#pending;
    if (held !== '' && PASTE_START.startsWith(held)) {
      const missing = PASTE_START.slice(held.length);
      if (chunk.toString('latin1', 0, missing.length) === missing) {
        this.#pending = '';
        return { from: 0, after: missing.length };
      }
    }
    const at = chunk.indexOf(PASTE_START);
    return at === -1 ? { from: chunk.length } : { from: at, after: at + PASTE_START.length };
  }

  #readPaste(paste: PasteBuffer, chunk: Buffer, nowMs: number, events: InputEvent[]): Buffer {
    const ended = paste.push(chunk);
    if (ended === undefined) return Buffer.alloc(0);
    this.#paste = undefined;
    this.#pasteEndedAtMs = nowMs;
    this.#pasteEndedInThisRead = true;
    events.push({ kind: 'paste', text: ended.text });
    return ended.rest;
  }

  #parseKeys(keys: string, nowMs: number, events: InputEvent[]): void {
    for (let i = 0; i < keys.length; ) {
      TYPED.lastIndex = i;
      const text = TYPED.exec(keys)?.[0];
      if (text !== undefined) {
        events.push({ kind: 'text', text });
        i += text.length;
      } else if (keys[i] === '\x1b') {
        const length = this.#parseEscape(keys.slice(i, i + LONGEST_SEQUENCE), events);
        if (length === undefined) return;
        i += length;
      } else {
        this.#parseControl(keys[i] ?? '', nowMs, events);
        i++;
      }
    }
  }

  /** Length of what was understood; `undefined` when the rest of the sequence must be waited for. */
  #parseEscape(keys: string, events: InputEvent[]): number | undefined {
    const sequence = SEQUENCE.exec(keys)?.[0];
    if (sequence !== undefined) {
      const key = sequenceKeys.get(sequence);
      if (key !== undefined) events.push({ kind: key });
      return sequence.length;
    }
    if (keys.length < LONGEST_SEQUENCE && SEQUENCE_PART.test(keys)) {
      this.#pending = keys;
      return undefined;
    }
    events.push({ kind: 'escape' });
    return 1;
  }

  #parseControl(char: string, nowMs: number, events: InputEvent[]): void {
    const key = controlKeys.get(char);
    if (key !== undefined) events.push({ kind: key });
    if (char !== '\r') return;
    const burst = this.#pasteEndedInThisRead;
    events.push({ kind: 'enter', burst, pasteAgoMs: nowMs - this.#pasteEndedAtMs });
  }
}
