import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScreenRows, type Screen } from '../../domain/screen.ts';
import type { Composer, DialogOption, ScreenReading } from '../../ports/agent-adapter.ts';
import { readScreen } from './screen.ts';

/**
 * What the stand-in draws in the wording of the version that the folder names (the real program cannot be
 * had), `capture-pane -e -p`, 40 rows; the columns stand behind each name. What each means was written down
 * by hand: test/support/stand-ins/agy/scenes*.ts.
 */
const root = fileURLToPath(new URL('../../../test/fixtures/screens/agy/', import.meta.url));

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

describe.each(readdirSync(root))('agy %s', (version) => {
  it.each(readdirSync(root + version))('%s', (name) => {
    const { screen, expected } = readCase(`${root}${version}/${name}`);
    const read = readScreen(screen);
    expect(summary(read)).toEqual(expected);
    const first = read.composer && screen.rows[read.composer.row ?? -1]?.text;
    if (read.composer) expect(first).toMatch(/^[>!]/);
  });
});

function readCase(folder: string) {
  const file = readFileSync(`${folder}/expected.json`, 'utf8');
  const { cols, cursor, ...expected } = JSON.parse(file) as Expected;
  const rows = parseScreenRows(readFileSync(`${folder}/screen.txt`, 'utf8'));
  return { screen: { rows, cols, cursor, title: '' }, expected };
}

/** Without the composer's row, which the screen itself tells, and what tells two dialogs apart. */
function summary({ dialog, ...rest }: ScreenReading): Omit<Expected, 'cols' | 'cursor'> {
  const { row: _row, ...composer } = rest.composer ?? {};
  const reading = rest.composer ? { ...rest, composer: composer as Composer } : rest;
  if (dialog === undefined) return reading;
  const { rule, title, options } = dialog;
  return { ...reading, dialog: { rule: rule.id, title, options } };
}
