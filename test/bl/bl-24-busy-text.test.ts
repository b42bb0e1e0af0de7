import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentAdapters } from '../../src/agents/index.ts';
import { parseScreenRows, plainScreen } from '../../src/domain/screen.ts';
import type { AgentAdapter } from '../../src/ports/agent-adapter.ts';

const adapters: Readonly<Record<string, AgentAdapter>> = agentAdapters;
const root = fileURLToPath(new URL('../fixtures/screens/', import.meta.url));

/** Every capture of every version, as `agent/version/name`. */
const captures = readdirSync(root).flatMap((agent) =>
  readdirSync(root + agent).flatMap((version) =>
    readdirSync(`${root}${agent}/${version}`).map((name) => `${agent}/${version}/${name}`),
  ),
);

function read(capture: string) {
  const {
    cols,
    cursor,
    title = '',
  } = JSON.parse(readFileSync(`${root}${capture}/expected.json`, 'utf8'));
  const rows = parseScreenRows(readFileSync(`${root}${capture}/screen.txt`, 'utf8'));
  const [agent = ''] = capture.split('/');
  return adapters[agent]?.readScreen({ rows, cols, cursor, title });
}

describe('BL-24 the busy text changed with the version', () => {
  const busy = captures.filter((capture) => /\/(?:\d+-)?(?:busy|working)-/.test(capture));

  it.each(busy)('is at work, or not known, but never idle: %s', (capture) => {
    expect(['working', 'unknown', 'limited']).toContain(read(capture)?.state);
  });

  it('has captures of each version of each agent that has any', () => {
    const versions = new Set(captures.map((capture) => capture.split('/').slice(0, 2).join('/')));
    const seen = new Set(busy.map((capture) => capture.split('/').slice(0, 2).join('/')));
    // One capture of a window that keeps no history, to know that form alone.
    const only = [...versions].filter((version) => !version.endsWith('alternate-screen'));
    expect(only.filter((version) => !seen.has(version))).toEqual([]);
  });

  it('reads no capture as unknown but those of what mam does not need to know', () => {
    for (const agent of readdirSync(root)) {
      const own = captures.filter((capture) => capture.startsWith(`${agent}/`));
      const unknown = own.filter((capture) => read(capture)?.state === 'unknown');
      const meant = own.filter((capture) => {
        const text = readFileSync(`${root}${capture}/expected.json`, 'utf8');
        return JSON.parse(text).state === 'unknown';
      });
      expect(unknown, agent).toEqual(meant);
    }
  });

  it.each(Object.keys(adapters))('takes no unfamiliar picture for idle: %s', (agent) => {
    const pictures = [
      '',
      '$ ',
      '┌────┐\n│ ?? │\n└────┘',
      `${'─'.repeat(140)}\nA new kind of screen\n${'─'.repeat(140)}`,
      'say esc to interrupt',
      '(ctrl+o to expand) (main) 12:30',
    ];
    for (const picture of pictures) {
      expect(adapters[agent]?.readScreen(plainScreen(picture)).state, picture).not.toBe('idle');
    }
  });
});
