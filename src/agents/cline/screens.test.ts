import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Composer, DialogOption, ScreenReading } from '../../ports/agent-adapter.ts';
import { readScreen } from './screen.ts';

/**
 * Real captures of the version that the folder names, `capture-pane -e -p` at 140 x 40, 60 x 20 for the
 * narrow ones; those that begin with `120-` at 120 x 40, some of them without `-e`.
 */
const root = fileURLToPath(new URL('../../../test/fixtures/screens/cline/', import.meta.url));

interface Expected extends Omit<ScreenReading, 'dialog'> {
  readonly cols: number;
  readonly cursor: Screen['cursor'];
  readonly title: string;
  readonly dialog?: {
    readonly rule: string;
    readonly title: string;
    readonly options: readonly DialogOption[];
  };
}

for (const version of readdirSync(root)) {
  describe(`Cline ${version}`, () => {
    it.each(readdirSync(root + version))('%s', (name) => {
      const { screen, expected } = readCase(`${root}${version}/${name}`);
      const read = readScreen(screen);
      expect(summary(read)).toEqual(expected);
      const first = read.composer && screen.rows[read.composer.row ?? -1]?.text;
      if (read.composer) expect(first).toMatch(/^ *❯/);
    });
  });
}

function readCase(folder: string) {
  const file = readFileSync(`${folder}/expected.json`, 'utf8');
  const { cols, cursor, title, ...expected } = JSON.parse(file) as Expected;
  const rows = parseScreenRows(readFileSync(`${folder}/screen.txt`, 'utf8'));
  return { screen: { rows, cols, cursor, title }, expected };
}

/** Without the composer's row, which the screen itself tells. */
function summary({ dialog, ...rest }: ScreenReading): Omit<Expected, 'cols' | 'cursor' | 'title'> {
  const { row: _row, ...composer } = rest.composer ?? {};
  const reading = rest.composer ? { ...rest, composer: composer as Composer } : rest;
  if (dialog === undefined) return reading;
  const { rule, title, options } = dialog;
  return { ...reading, dialog: { rule: rule.id, title, options } };
}
