import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const table = readFileSync(join(root, 'docs/requirements.md'), 'utf8');

interface Row {
  readonly id: string;
  readonly state: string;
  readonly proofs: readonly string[];
}

const rows: readonly Row[] = table
  .split('\n')
  .filter((line) => /^\| (?:BL-\d\d|[ABC]-|P\d|HC\d)/.test(line))
  .map((line) => {
    const [, id = '', , state = '', proof = ''] = line.split('|').map((cell) => cell.trim());
    return { id, state, proofs: proof === '–' ? [] : proof.split(' ') };
  });

describe('docs/requirements.md', () => {
  it('lists forty failures, each once', () => {
    const ids = rows.map(({ id }) => id).filter((id) => id.startsWith('BL-'));
    const expected = Array.from({ length: 40 }, (_, i) => `BL-${String(i + 1).padStart(2, '0')}`);
    expect(ids).toEqual(expected);
  });

  it('uses each id once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it.each(rows.filter(({ state }) => !state.startsWith('part ')))(
    'names tests that exist for $id',
    ({ state, proofs }) => {
      expect(state).toMatch(/^(?:done$|partly: )/);
      expect(proofs.length).toBeGreaterThan(0);
      expect(proofs.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  it('gives no proof to what is only planned', () => {
    const planned = rows.filter(({ state }) => state.startsWith('part '));
    expect(planned.filter(({ proofs }) => proofs.length > 0)).toEqual([]);
  });

  it('names every test of a failure, and each carries its id in a title', () => {
    for (const file of readdirSync(join(root, 'test/bl'))) {
      const id = `BL-${/^bl-(\d\d)-/.exec(file)?.[1]}`;
      const row = rows.find((candidate) => candidate.id === id);
      expect(row?.proofs, file).toContain(`test/bl/${file}`);
      const text = readFileSync(join(root, 'test/bl', file), 'utf8');
      expect(text, file).toMatch(new RegExp(`describe\\(['"\`]${id} `));
    }
  });
});
