import { MamError } from '../../domain/errors.ts';
import type { AgentCard } from '../../protocol/agent-card.ts';
import { agentCardSchema } from '../../protocol/agent-card-schema.ts';
import { readCheckedYaml } from './checked-yaml.ts';

/** @throws {MamError} `config.invalid` with line and column, from 1. */
export function parseAgentCard(text: string, path: string): AgentCard {
  const result = readCheckedYaml(text, agentCardSchema);
  if ('value' in result) return result.value;
  const { line, column, key, message, isUnknownKey } = result.fault;
  const what = isUnknownKey ? `unknown key "${key}"` : `${key || 'the card'}: ${message}`;
  throw new MamError(
    'config.invalid',
    `${path}:${line}:${column}: ${what}.`,
    { path, line, column },
    { hint: 'docs/agents.md describes the keys of a card' },
  );
}
