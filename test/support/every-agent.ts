import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cardAgent } from '../../src/agents/card/index.ts';
import { agentAdapters } from '../../src/agents/index.ts';
import { parseAgentCard } from '../../src/drivers/yaml/agent-card-parser.ts';
import type { AgentAdapter } from '../../src/ports/agent-adapter.ts';

const folder = fileURLToPath(new URL('../../src/assets/agents/', import.meta.url));

/** Kinds of agents that are shipped as cards. */
export const cardKinds = readdirSync(folder).map((name) => name.replace(/\.yaml$/, ''));

/** The adapter that a shipped card makes. */
export function shippedCard(kind: string): AgentAdapter {
  const path = `${folder}${kind}.yaml`;
  return cardAgent(kind, parseAgentCard(readFileSync(path, 'utf8'), path));
}

/** Every agent that mam comes with, of code or by a card. */
export const everyAgent: Readonly<Record<string, AgentAdapter>> = {
  ...agentAdapters,
  ...Object.fromEntries(cardKinds.map((kind) => [kind, shippedCard(kind)])),
};
