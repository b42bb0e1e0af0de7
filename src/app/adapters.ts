import { agentAdapters } from '../agents/index.ts';
import { MamError } from '../domain/errors.ts';
import type { AgentAdapter } from '../ports/agent-adapter.ts';
import type { AdapterSet } from '../services/fleet/context.ts';

/** @param demoAgent - The bundled demo agent, run with the Node that runs us. */
export function builtInAdapters(demoAgent: string): AdapterSet {
  const all: Readonly<Record<string, AgentAdapter>> = agentAdapters;
  const kinds = Object.keys(all);
  return {
    kinds,
    get(kind) {
      const found = Object.hasOwn(all, kind) ? all[kind] : undefined;
      if (found) return found;
      throw new MamError(
        'usage.invalid',
        `There is no agent ${JSON.stringify(kind)}; there are ${kinds.join(', ')}.`,
        { agent: kind, known: kinds },
      );
    },
    builtIn: (binary) => (binary === 'mam-demo-agent' ? [process.execPath, demoAgent] : undefined),
  };
}

/** Under which key each agent's conversation id stands in the YAML face. */
export function conversationKeys(adapters: AdapterSet): Readonly<Record<string, string>> {
  const pairs = adapters.kinds.map((kind) => [kind, adapters.get(kind).card.conversationIdKey]);
  return Object.fromEntries(pairs);
}
