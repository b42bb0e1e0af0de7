import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Composer, DialogOption, ScreenReading } from '../../ports/agent-adapter.ts';
import { readScreen } from './screen.ts';

/**
 * Real captures, `capture-pane -e -p` at 140 x 40 unless the name says otherwise, made with the version
 * that the folder names: 2.1.332 and 2.1.197 without the alternate screen, as we start them.
 */
const root = fileURLToPath(new URL('../../../test/fixtures/screens/claude/', import.meta.url));

interface Expected {
  readonly cols: number;
  readonly cursor: Screen['cursor'];
  readonly state: ScreenReading['state'];
  readonly detail?: string;
  readonly dialog?: {
    readonly rule: string;
    readonly title: string;
    readonly options: readonly DialogOption[];
  };
  readonly composer?: Composer;
}

for (const version of readdirSync(root)) {
  describe(`Claude Code ${version}`, () => {
    it.each(readdirSync(root + version))('%s', (name) => {
      const folder = `${root}${version}/${name}`;
      const expected = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')) as Expected;
      const { cols, cursor, ...reading } = expected;
      const rows = parseScreenRows(readFileSync(`${folder}/screen.txt`, 'utf8'));
      const read = readScreen({ rows, cols, cursor, title: '' });
      expect(summary(read)).toEqual(reading);
      const first = read.composer && rows[read.composer.row ?? -1]?.text;
      if (read.composer) expect(first).toMatch(/^\S\u00a0/);
    });
  });
}

/** Without the composer's row, which the screen itself tells. */
function summary({ dialog, ...rest }: ScreenReading): Omit<Expected, 'cols' | 'cursor'> {
  const { row: _row, ...composer } = rest.composer ?? {};
  const reading = rest.composer ? { ...rest, composer: composer as Composer } : rest;
  if (dialog === undefined) return reading;
  const { rule, title, options } = dialog;
  return { ...reading, dialog: { rule: rule.id, title, options } };
}
