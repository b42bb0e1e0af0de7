import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const PANE = ['-t', '=demo-creator-a1:'] as const;

interface Case {
  readonly title: string;
  readonly mode: string;
  readonly enter: readonly string[];
}

const cases: readonly Case[] = [
  { title: 'copy mode', mode: 'copy-mode', enter: ['copy-mode', ...PANE] },
  { title: 'the mouse wheel', mode: 'copy-mode', enter: ['copy-mode', '-e', ...PANE] },
  // What a command of the user's printed.
  { title: 'view mode', mode: 'view-mode', enter: ['run-shell', ...PANE, 'seq 100'] },
  { title: 'a chooser', mode: 'tree-mode', enter: ['choose-tree', ...PANE] },
];

describe('BL-06 the pane is scrolled back', () => {
  it.each(cases)('types nothing in $title, says so, and goes on afterwards', async (each) => {
    await using bed = await TestBed.open();
    const log = join(bed.root, 'bytes');
    await bed.create('a1', ['--log-bytes', log]);
    expect(bed.tmux('set-option', '-g', 'mouse', 'on').code).toBe(0);
    expect(bed.tmux(...each.enter).code).toBe(0);

    const { code, json } = await bed.mam(['send', 'a1', 'hello /q', '--json']);
    expect(code).toBe(9);
    expect(json.delivery).toMatchObject({ state: 'refused', reason: `mode: ${each.mode}` });
    expect((await bed.session('a1')).tmux.mode).toBe(each.mode);
    // No key of ours reached a binding of the mode, and none the agent.
    expect(mode(bed)).toBe(each.mode);
    expect(bed.truth()).toEqual([]);
    expect(() => readFileSync(log)).toThrow('ENOENT');

    expect(bed.tmux('copy-mode', '-q', ...PANE).code).toBe(0);
    expect((await bed.session('a1')).tmux.mode).toBeNull();
    await bed.ok(['send', 'a1', 'hello /q']);
    expect(bed.truth().map(({ mode, text }) => [mode, text])).toEqual([['prompt', 'hello /q']]);
  });

  it('goes on after the person has left copy mode by its own command', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    bed.tmux('copy-mode', ...PANE);
    expect((await bed.mam(['send', 'a1', 'hello'])).code).toBe(9);
    expect(bed.tmux('send-keys', ...PANE, '-X', 'cancel').code).toBe(0);
    await bed.ok(['send', 'a1', 'hello']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['hello']);
  });
});

function mode(bed: TestBed): string {
  return bed.tmux('display-message', '-p', ...PANE, '#{pane_mode}').stdout.trim();
}
