/**
 * What a tmux control client writes, taken apart: replies to commands, each between `%begin` and `%end`
 * or `%error`, and notifications between replies.
 *
 * @see tmux(1), CONTROL MODE
 */
export type ControlEvent =
  /** `fromUs`: the reply to a line of ours (flag 1); tmux's own, such as that of the attach, has 0. */
  | {
      readonly kind: 'reply';
      readonly ok: boolean;
      readonly fromUs: boolean;
      readonly lines: readonly string[];
    }
  /** `name` without its `%`, for example `sessions-changed`. */
  | { readonly kind: 'notice'; readonly name: string; readonly text: string }
  /** The server or a person ended this client; nothing comes after it. */
  | { readonly kind: 'exit'; readonly reason: string };

/** The stream is not what tmux writes, or a screen in a reply imitates it: no reply of it can be trusted. */
export class ControlProtocolError extends Error {
  override readonly name = 'ControlProtocolError';
}

/** A reply larger than this is a fault: 60 screens of 300 × 100 cells in colour are 5 MB. Bytes. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** So many ended replies are remembered, to know their end when it comes twice. */
const REMEMBERED = 256;
const NEWLINE = 0x0a;

/** Takes the stream in chunks of any size, cut anywhere. */
export class ControlParser {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #open: OpenReply | undefined;
  #lastNumber = -1;
  /** `time number flags` of replies that have ended, oldest first. */
  readonly #ended = new Set<string>();

  /** @throws {ControlProtocolError} The parser is of no use afterwards. */
  push(chunk: Buffer): ControlEvent[] {
    const events: ControlEvent[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#rest.push(chunk.subarray(from, at));
      const event = this.#takeLine(Buffer.concat(this.#rest).toString('utf8'));
      if (event) events.push(event);
      this.#rest = [];
      this.#restBytes = 0;
      from = at + 1;
    }
    const tail = chunk.subarray(from);
    if (tail.length > 0) this.#rest.push(Buffer.from(tail));
    this.#restBytes += tail.length;
    this.#assertBounded(this.#restBytes);
    return events;
  }

  #takeLine(line: string): ControlEvent | undefined {
    const open = this.#open;
    if (open) return this.#takeReplyLine(line, open);
    const begin = /^%begin (\d+ (\d+) (\d+))$/.exec(line);
    if (begin) return this.#begin(begin[1] ?? '', Number(begin[2]), begin[3] === '1');
    if (/^%(?:end|error) \d+ \d+ \d+$/.test(line)) {
      throw new ControlProtocolError(`an end without its beginning: ${line}`);
    }
    const exit = /^%exit(?: (.*))?$/.exec(line);
    if (exit) return { kind: 'exit', reason: exit[1] ?? '' };
    const notice = /^%([a-z-]+)(?: (.*))?$/.exec(line);
    // tmux writes some errors of its own as a bare line: they answer nothing.
    return notice ? { kind: 'notice', name: notice[1] ?? '', text: notice[2] ?? '' } : undefined;
  }

  #begin(guard: string, number: number, fromUs: boolean): undefined {
    if (number <= this.#lastNumber) {
      throw new ControlProtocolError(`reply ${number} after ${this.#lastNumber}`);
    }
    this.#lastNumber = number;
    this.#open = { guard, fromUs, lines: [], bytes: 0 };
  }

  #takeReplyLine(line: string, open: OpenReply): ControlEvent | undefined {
    const end = /^%(end|error) (\d+ \d+ \d+)$/.exec(line);
    if (end?.[2] === open.guard) return this.#end(open, end[1] === 'end');
    if (end && this.#ended.has(end[2] ?? '')) {
      throw new ControlProtocolError(`a screen imitated the end of a reply: ${line}`);
    }
    open.lines.push(line);
    open.bytes += line.length;
    this.#assertBounded(open.bytes);
    return undefined;
  }

  #end({ guard, fromUs, lines }: OpenReply, ok: boolean): ControlEvent {
    this.#open = undefined;
    this.#ended.add(guard);
    if (this.#ended.size > REMEMBERED) {
      for (const oldest of this.#ended) {
        this.#ended.delete(oldest);
        break;
      }
    }
    return { kind: 'reply', ok, fromUs, lines };
  }

  #assertBounded(bytes: number): void {
    if (bytes > MAX_REPLY_BYTES) throw new ControlProtocolError('a reply without an end');
  }
}

interface OpenReply {
  readonly guard: string;
  readonly fromUs: boolean;
  readonly lines: string[];
  bytes: number;
}
