import type { AgentAdapter } from '../ports/agent-adapter.ts';
import { demo } from './demo/index.ts';

/** Every built-in agent. A new one is a folder beside these and one line here. */
export const agentAdapters = { demo } as const satisfies Record<string, AgentAdapter>;
