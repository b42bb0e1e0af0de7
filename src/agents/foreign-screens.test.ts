import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScreenRows } from '../domain/screen.ts';
import { agentAdapters } from './index.ts';

/** A screen of another program says nothing, whatever an adapter looks for. */
const root = fileURLToPath(new URL('../../test/fixtures/screens/', import.meta.url));
const kinds = Object.keys(agentAdapters) as (keyof typeof agentAdapters)[];

describe.each(readdirSync(root))('captures of %s', (of) => {
  const cases = readdirSync(root + of).flatMap((version) =>
    readdirSync(`${root}${of}/${version}`).map((name) => `${of}/${version}/${name}`),
  );

  describe.each(kinds.filter((kind) => kind !== of))('are unknown to %s', (by) => {
    it.each(cases)('%s', (name) => {
      const file = readFileSync(`${root}${name}/expected.json`, 'utf8');
      const { cols, cursor, title = '' } = JSON.parse(file);
      const rows = parseScreenRows(readFileSync(`${root}${name}/screen.txt`, 'utf8'));
      const read = agentAdapters[by].readScreen({ rows, cols, cursor, title });
      expect(read.state).toBe('unknown');
      expect(read.dialog).toBeUndefined();
    });
  });
});
