import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseScreenRows, type Screen } from '../../src/domain/screen.ts';
import type { DialogOption, ScreenReading } from '../../src/ports/agent-adapter.ts';

const root = fileURLToPath(new URL('../fixtures/screens/', import.meta.url));

/** What a capture means, as a person wrote it down beside it. */
export interface Meaning extends Omit<ScreenReading, 'dialog'> {
  readonly dialog?: {
    readonly rule: string;
    readonly title: string;
    readonly options: readonly DialogOption[];
  };
}

export interface Golden {
  readonly screen: Screen;
  readonly meaning: Meaning;
}

/** Kinds of agents that there are captures of. */
export function capturedAgents(): readonly string[] {
  return readdirSync(root);
}

/** Captures of an agent as `agent/version/name`, by version. */
export function capturesOf(agent: string): ReadonlyMap<string, readonly string[]> {
  const versions = readdirSync(root + agent);
  return new Map(
    versions.map((version) => [
      version,
      readdirSync(`${root}${agent}/${version}`).map((name) => `${agent}/${version}/${name}`),
    ]),
  );
}

/** @param capture - `agent/version/name`. */
export function readGolden(capture: string): Golden {
  const file = readFileSync(`${root}${capture}/expected.json`, 'utf8');
  const {
    cols,
    cursor,
    title = '',
    ...meaning
  } = JSON.parse(file) as Meaning & Pick<Screen, 'cols' | 'cursor'> & { readonly title?: string };
  const rows = parseScreenRows(readFileSync(`${root}${capture}/screen.txt`, 'utf8'));
  return { screen: { rows, cols, cursor, title }, meaning };
}

/** Without the composer's row, which the screen itself tells, and what tells two dialogs apart. */
export function meaningOf({ dialog, composer, ...rest }: ScreenReading): unknown {
  const { row: _row, ...shown } = composer ?? {};
  const reading = composer ? { ...rest, composer: shown } : rest;
  if (dialog === undefined) return reading;
  const { rule, title, options } = dialog;
  return { ...reading, dialog: { rule: rule.id, title, options } };
}

/** The row of the screen that the composer begins with; undefined without one. */
export function composerRow({ rows }: Screen, { composer }: ScreenReading): string | undefined {
  return composer && rows[composer.row ?? -1]?.text;
}
