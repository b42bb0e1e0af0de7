import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const SIZE_BYTES = 3_200;

/** Three paragraphs, with everything in it that breaks a paste. */
function hostilePrompt(): string {
  const head = [
    'HEAD First paragraph: read the instruction and repeat its first and last word.',
    '',
    '\tA tab in front, then a CRLF:\r',
    'naïve 日本語 🙂',
    `an end mark inside: ${PASTE_END}`,
    'y',
    '',
    'Third paragraph: ',
  ].join('\n');
  const tail = ' TAIL';
  const missing = SIZE_BYTES - Buffer.byteLength(head + tail);
  return `${head}${'words and more '.repeat(missing).slice(0, missing)}${tail}`;
}

/** What the agent may make of it: one kind of line end, and no control character but TAB and LF. */
const asDelivered = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\x1b', '\ufffd');

describe('BL-02 a multi-line message arrives in pieces', () => {
  it.each(['--file', 'stdin'])('arrives as one submission in one paste (%s)', async (how) => {
    await using bed = await TestBed.open();
    const log = join(bed.root, 'bytes.jsonl');
    await bed.create('a1', ['--log-bytes', log]);
    const prompt = hostilePrompt();
    expect(Buffer.byteLength(prompt)).toBe(SIZE_BYTES);
    const file = join(bed.root, 'p.txt');
    writeFileSync(file, prompt);
    const { json } =
      how === 'stdin'
        ? await bed.ok(['send', 'a1', '-', '--json'], { input: prompt })
        : await bed.ok(['send', 'a1', '--file', file, '--json']);
    expect(json.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'hook' } });
    expect(bed.truth().map(({ mode, text }) => [mode, text])).toEqual([
      ['prompt', asDelivered(prompt)],
    ]);
    const bytes = Buffer.concat(
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Buffer.from((JSON.parse(line) as { hex: string }).hex, 'hex')),
    ).toString('latin1');
    expect(bytes.split(PASTE_START)).toHaveLength(2);
    expect(bytes.split(PASTE_END)).toHaveLength(2);
    // What follows the paste is one Enter: nothing escaped from it.
    expect(bytes.split(PASTE_END)[1]).toBe('\r');
  });
});
