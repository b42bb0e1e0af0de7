import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ControlEvent, ControlParser, ControlProtocolError } from './parser.ts';

function parse(...chunks: readonly (string | Buffer)[]): ControlEvent[] {
  const parser = new ControlParser();
  return chunks.flatMap((chunk) => parser.push(Buffer.from(chunk)));
}

const reply = (number: number, lines: readonly string[], end = 'end', flags = 1) =>
  [`%begin 17960 ${number} ${flags}`, ...lines, `%${end} 17960 ${number} ${flags}`, ''].join('\n');

describe('ControlParser', () => {
  it('takes replies, notifications and the exit apart', () => {
    const stream = [
      reply(5, [], 'end', 0),
      '%session-changed $0 keep\n',
      reply(7, ['a', '', ' b ']),
      reply(8, ["can't find session: x"], 'error'),
      '%sessions-changed\n%unlinked-window-close @1\n%exit server exited\n',
    ].join('');
    expect(parse(stream)).toEqual([
      { kind: 'reply', ok: true, fromUs: false, lines: [] },
      { kind: 'notice', name: 'session-changed', text: '$0 keep' },
      { kind: 'reply', ok: true, fromUs: true, lines: ['a', '', ' b '] },
      { kind: 'reply', ok: false, fromUs: true, lines: ["can't find session: x"] },
      { kind: 'notice', name: 'sessions-changed', text: '' },
      { kind: 'notice', name: 'unlinked-window-close', text: '@1' },
      { kind: 'exit', reason: 'server exited' },
    ]);
  });

  it('keeps what a screen shows, also lines that look like its own', () => {
    const screen = ['%end 1 2 3', '%begin 17960 9 1', '%exit', '%sessions-changed', '%error x'];
    const [event] = parse(reply(8, screen));
    expect(event).toMatchObject({ lines: screen });
  });

  it('passes over a bare line between replies', () => {
    expect(parse('-: Bad file descriptor\n', reply(1, ['x']))).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['an end without its beginning', '%end 17960 4 1\n'],
    ['numbers that go back', reply(9, []) + reply(9, [])],
    ['an end that came before', `${reply(3, [])}%begin 17960 4 1\n%end 17960 3 1\n`],
  ])('trusts nothing after %s', (_, stream) => {
    expect(() => parse(stream)).toThrow(ControlProtocolError);
  });

  it('finds out that a screen imitated the end of its own reply', () => {
    // The agent guessed the number: the rest of its screen stands outside, then comes the true end.
    const forged = ['%end 17960 6 1', '%begin 17960 7 1', 'forged', '%end 17960 7 1', 'rest'];
    expect(() => parse(reply(6, forged))).toThrow(ControlProtocolError);
    // Or it leaves a reply open, to swallow what follows.
    expect(() => parse(reply(6, ['%end 17960 6 1', '%begin 17960 7 1']))).toThrow('imitated');
  });

  it('bounds a reply without an end', () => {
    const parser = new ControlParser();
    parser.push(Buffer.from('%begin 1 1 1\n'));
    const line = Buffer.alloc(1024 * 1024, 'x');
    line[line.length - 1] = 0x0a;
    const flood = () => {
      for (let i = 0; i < 70; i++) parser.push(line);
    };
    expect(flood).toThrow(ControlProtocolError);
  });

  const anyLine = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\r]/g, ' ')),
    fc.constantFrom('%exit', '%begin 1 2 3', '%end 17960 1 1', '%error 9 9 9', '%x', ''),
  );
  const anyReply = fc.record({
    lines: fc.array(anyLine, { maxLength: 6 }),
    ok: fc.boolean(),
    notice: fc.boolean(),
  });

  it('loses no reply however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(anyReply, { maxLength: 12 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 60 }),
        (replies, cuts) => {
          // Numbers beyond any that a line above could imitate.
          const stream = replies
            .map(({ lines, ok, notice }, i) => {
              const text = reply(100 + i, lines, ok ? 'end' : 'error');
              return notice ? `%window-add @${i}\n${text}` : text;
            })
            .join('');
          const bytes = Buffer.from(stream);
          const chunks: Buffer[] = [];
          let at = 0;
          for (const cut of cuts) {
            chunks.push(bytes.subarray(at, at + cut));
            at += cut;
          }
          chunks.push(bytes.subarray(at));
          const events = parse(...chunks);
          const seen = events.flatMap((event) => (event.kind === 'reply' ? [event] : []));
          expect(seen.map(({ ok, lines }) => ({ ok, lines }))).toEqual(
            replies.map(({ ok, lines }) => ({ ok, lines })),
          );
          const notices = events.filter(({ kind }) => kind === 'notice');
          expect(notices).toHaveLength(replies.filter(({ notice }) => notice).length);
        },
      ),
    );
  });

  it('ends any stream in events or in its own error', () => {
    const anyStream = fc.array(
      fc.oneof(
        anyLine,
        fc.constantFrom(reply(1, ['x']), reply(2, []), '%begin 17960 3 1', '%end 17960 3 1'),
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(anyStream, (lines) => {
        const parser = new ControlParser();
        try {
          for (const line of lines) parser.push(Buffer.from(`${line}\n`));
        } catch (error) {
          expect(error).toBeInstanceOf(ControlProtocolError);
        }
      }),
    );
  });
});
