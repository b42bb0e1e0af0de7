import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const texts = [
  'fix it;',
  ';',
  'a;;',
  'a\\;',
  '-l',
  '--help',
  '-----BEGIN X-----',
  '#{session_name} #(date)',
  'Enter',
  'C-c',
  'say "hi" \'x\' $HOME `id` !!',
  '%1',
];

/** A wrapper first in PATH that writes down every call of tmux. */
function countTmux(bed: TestBed): { readonly calls: () => number; readonly env: object } {
  const folder = join(bed.root, 'shim');
  const log = join(bed.root, 'tmux-calls');
  mkdirSync(folder);
  writeFileSync(log, '');
  const real = (process.env.PATH ?? '').split(':');
  const path = `PATH='${real.join(':')}'`;
  writeFileSync(
    join(folder, 'tmux'),
    `#!/bin/sh\necho called >>'${log}'\n${path} exec tmux "$@"\n`,
  );
  chmodSync(join(folder, 'tmux'), 0o755);
  return {
    calls: () => readFileSync(log, 'utf8').split('\n').length - 1,
    env: { PATH: `${folder}:${real.join(':')}` },
  };
}

describe('BL-03 tmux eats part of the text', () => {
  it('delivers each text byte for byte, from argument, file and standard input', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const file = join(bed.root, 'prompt');
    for (const [i, text] of texts.entries()) {
      writeFileSync(file, text);
      if (i % 3 === 0) await bed.ok(['send', 'a1', '--', text]);
      else if (i % 3 === 1) await bed.ok(['send', 'a1', '--file', file]);
      else await bed.ok(['send', 'a1', '-'], { input: text });
    }
    expect(bed.truth().map(({ mode, text }) => [mode, text])).toEqual(
      texts.map((text) => ['prompt', text]),
    );
  });

  it('takes every text as an argument behind --', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    for (const text of ['--help', '-l', '--json', '-']) {
      const { code } = await bed.mam(['send', 'a1', '--', text], { input: 'from stdin' });
      expect(code).toBe(0);
    }
    // The argument `-` alone means standard input.
    expect(bed.truth().map(({ text }) => text)).toEqual(['--help', '-l', '--json', 'from stdin']);
  });

  it('refuses a blank prompt before tmux is called', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { calls, env } = countTmux(bed);
    await bed.ok(['send', 'a1', 'seen', '--json'], { env: { ...env } });
    const counted = calls();
    expect(counted).toBeGreaterThan(0);
    for (const blank of [' ', '', '\n\t\n', '\u200b\ufeff']) {
      const { code, json } = await bed.mam(['send', 'a1', '--json', '--', blank], {
        env: { ...env },
      });
      expect(code).toBe(2);
      expect(json.error.code).toBe('prompt.blank');
    }
    expect(calls()).toBe(counted);
    expect(bed.truth().map(({ text }) => text)).toEqual(['seen']);
  });
});
