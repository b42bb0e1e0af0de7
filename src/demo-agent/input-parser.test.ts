import { describe, expect, it } from 'vitest';
import { type InputEvent, InputParser } from './input-parser.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

function feedAll(parser: InputParser, chunks: readonly Buffer[], nowMs = 0): InputEvent[] {
  return chunks.flatMap((chunk) => parser.feed(chunk, nowMs));
}

/** The chunk cut at every byte. */
function single(text: string): Buffer[] {
  return [...bytes(text)].map((byte) => Buffer.from([byte]));
}

const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

describe('InputParser', () => {
  it('reads typed text, with its tabs, and the keys between it', () => {
    expect(new InputParser().feed(bytes('a\tb\x7f\x15c\n\x03\x04'), 0)).toEqual([
      { kind: 'text', text: 'a\tb' },
      { kind: 'backspace' },
      { kind: 'clear-draft' },
      { kind: 'text', text: 'c' },
      { kind: 'newline' },
      { kind: 'interrupt' },
      { kind: 'end-of-input' },
    ]);
  });

  it('reads a paste as one event, wherever it is split', () => {
    const whole = `a${paste('x\ty 日本 🙂\nz')}b`;
    for (let at = 1; at < bytes(whole).length; at++) {
      const chunks = [bytes(whole).subarray(0, at), bytes(whole).subarray(at)];
      expect(feedAll(new InputParser(), chunks)).toEqual([
        { kind: 'text', text: 'a' },
        { kind: 'paste', text: 'x\ty 日本 🙂\nz' },
        { kind: 'text', text: 'b' },
      ]);
    }
  });

  it('reads a paste that comes byte by byte', () => {
    expect(feedAll(new InputParser(), single(paste('naïve 🙂')))).toEqual([
      { kind: 'paste', text: 'naïve 🙂' },
    ]);
  });

  it('puts a typed character together that is split over reads', () => {
    const text = feedAll(new InputParser(), single('é日🙂'));
    expect(text.map((event) => ('text' in event ? event.text : event.kind)).join('')).toBe('é日🙂');
  });

  it('makes CR and CRLF inside a paste newlines, not Enter', () => {
    expect(new InputParser().feed(bytes(paste('a\rb\r\nc')), 0)).toEqual([
      { kind: 'paste', text: 'a\nb\nc' },
    ]);
  });

  it('keeps control bytes and a paste-start mark inside a paste as text', () => {
    expect(new InputParser().feed(bytes(paste('\x03\x1b[A\x1b[200~')), 0)).toEqual([
      { kind: 'paste', text: '\x03\x1b[A\x1b[200~' },
    ]);
  });

  it('says that an Enter came in the same read as the end of a paste', () => {
    const parser = new InputParser();
    expect(parser.feed(bytes(`${paste('x')}\r`), 5)[1]).toEqual({
      kind: 'enter',
      burst: true,
      pasteAgoMs: 0,
    });
    expect(parser.feed(bytes('\r'), 25)).toEqual([{ kind: 'enter', burst: false, pasteAgoMs: 20 }]);
  });

  it('says that there was no paste before an Enter', () => {
    expect(new InputParser().feed(bytes('\r'), 9)).toEqual([
      { kind: 'enter', burst: false, pasteAgoMs: Number.POSITIVE_INFINITY },
    ]);
  });

  it('reads arrows split over reads, and ignores sequences it does not know', () => {
    expect(feedAll(new InputParser(), single('\x1b[A\x1bOB\x1b[1;5C\x1b[Ix'))).toEqual([
      { kind: 'up' },
      { kind: 'down' },
      { kind: 'text', text: 'x' },
    ]);
  });

  it('waits with a lone ESC until it is told that nothing follows', () => {
    const parser = new InputParser();
    expect(parser.feed(bytes('\x1b'), 0)).toEqual([]);
    expect(parser.escapeWaits).toBe(true);
    expect(parser.flushEscape()).toEqual([{ kind: 'escape' }]);
    expect(parser.escapeWaits).toBe(false);
    expect(parser.flushEscape()).toEqual([]);
  });

  it('does not lose the Escape key in front of a paste', () => {
    const parser = new InputParser();
    expect(feedAll(parser, [bytes('\x1b'), bytes(paste('x'))])).toEqual([
      { kind: 'escape' },
      { kind: 'paste', text: 'x' },
    ]);
  });

  it('does not hold back a sequence that never ends', () => {
    const [first, second] = new InputParser().feed(bytes(`\x1b[${'1'.repeat(100)}`), 0);
    expect(first).toEqual({ kind: 'escape' });
    expect(second).toEqual({ kind: 'text', text: `[${'1'.repeat(100)}` });
  });

  it('takes a paste of 1 MiB in small reads without quadratic work', () => {
    const text = '0123456789abcdé日\n'.repeat(58_255);
    const raw = bytes(paste(text));
    const parser = new InputParser();
    const before = process.cpuUsage();
    const events: InputEvent[] = [];
    for (let at = 0; at < raw.length; at += 1000)
      events.push(...parser.feed(raw.subarray(at, at + 1000), 0));
    const used = process.cpuUsage(before);
    expect(events).toEqual([{ kind: 'paste', text }]);
    expect((used.user + used.system) / 1000).toBeLessThan(500);
  });
});
