import type { AgentAdapter } from '../ports/agent-adapter.ts';
import { agy } from './agy/index.ts';
import { claude } from './claude/index.ts';
import { cline } from './cline/index.ts';
import { demo } from './demo/index.ts';
import { gemini } from './gemini/index.ts';

/** Every built-in agent. A new one is a folder beside these and one line here. */
export const agentAdapters = { agy, claude, cline, demo, gemini } as const satisfies Record<
  string,
  AgentAdapter
>;
