import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cardKinds, shippedCard } from '../test/support/every-agent.ts';
import { card as agy } from './agents/agy/card.ts';
import { card as claude } from './agents/claude/card.ts';
import { hookEvents } from './agents/claude/launch.ts';
import { card as cline } from './agents/cline/card.ts';
import { hookEvents as clineEvents } from './agents/cline/hook-files.ts';
import { card as demo } from './agents/demo/card.ts';
import { card as gemini } from './agents/gemini/card.ts';
import { agentCardSchema } from './protocol/agent-card-schema.ts';
import { PASSED } from './services/fleet/agent-environment.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const sources = ['src', 'docs', 'test', 'scripts', 'bench', 'skills', 'broker'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md|sh|mjs|yaml)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

describe('docs', () => {
  it('has every page that is named somewhere', () => {
    const named = [...sources, 'README.md', 'CHANGELOG.md', 'SKILL_FEATURES.md'].flatMap(
      (path) => read(path).match(/\bdocs\/[\w/-]+\.md\b/g) ?? [],
    );
    expect(new Set(named).size).toBeGreaterThan(5);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has the target of every link between pages', () => {
    const pages = sources.filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
    const links = pages.flatMap((path) =>
      [...read(path).matchAll(/\]\(([\w./-]+\.md)/g)].map(([, link = '']) =>
        join(root, path, '..', link),
      ),
    );
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names in agents.md each variable that an agent gets, and each hook', () => {
    const page = read('docs/agents.md');
    const cards = [
      claude,
      cline,
      demo,
      gemini,
      agy,
      ...cardKinds.map((kind) => shippedCard(kind).card),
    ];
    const names = [...PASSED, ...cards.flatMap(({ envPass }) => envPass)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const events = [...hookEvents, ...clineEvents];
    expect(events.filter((name) => !page.includes(name))).toEqual([]);
  });

  it('names in agents.md each key of a card', () => {
    const page = read('docs/agents.md');
    const table = page.slice(page.indexOf('## Agents by a card'), page.indexOf('## demo'));
    const keys = keysOf(agentCardSchema);
    expect(keys.length).toBeGreaterThan(40);
    expect(keys.filter((key) => !table.includes(`${key}\``))).toEqual([]);
  });
});

/** Keys of a schema that have no parts of their own. */
function keysOf(schema: unknown): readonly string[] {
  const { def } = schema as { readonly def: Record<string, unknown> };
  const inner = def.innerType ?? def.element;
  if (inner !== undefined) return keysOf(inner);
  const shape = (def.shape ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(shape).flatMap(([key, value]) => {
    const parts = keysOf(value);
    return parts.length > 0 ? parts : [key];
  });
}
