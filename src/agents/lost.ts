import type { AgentAdapter } from '../ports/agent-adapter.ts';
import { sha256Hex } from './shared/prompt-text.ts';

/**
 * Stands for an agent of a session whose card is gone or cannot be read: nothing is known of it, so
 * nothing is typed into it; what runs is seen, and can be stopped.
 */
export function lostAgent(kind: string): AgentAdapter {
  return {
    kind,
    card: {
      binaries: [],
      conversationId: 'store',
      conversationIdKey: `${kind}_conversation_id_own`,
      hookIdentity: 'path',
      readyHook: false,
      takesMcpFiles: false,
      inlineLimitBytes: 0,
      enterDelayMs: 0,
      evidenceTimeoutMs: 0,
      composer: 'opaque',
      quit: { text: '' },
      termTarget: 'agent',
      envPass: [],
      envMarkers: [],
      sharedDaemons: [],
      dialogSettleMs: 0,
      limitGraceMs: 0,
      dialogs: [],
    },
    planLaunch: ({ binary }) => ({ argv: [binary], files: [], env: {} }),
    readScreen: () => ({ state: 'unknown', detail: 'no-card' }),
    readHook: () => undefined,
    planTyping: (text) => ({
      ...{ kind: 'prompt', typed: text, via: 'paste', hash: sha256Hex(text), evidence: 'hook' },
    }),
    composerHolds: () => false,
    store: {
      folder: ({ HOME }) => HOME ?? '',
      paths: () => [],
      all: () => [],
      idOf: () => undefined,
      inspect: () => ({ messages: 0 }),
      prompts: () => [],
      lastAnswer: () => undefined,
      limitUntil: () => undefined,
      purgePaths: () => [],
      quotedIn: () => [],
    },
    preflight: () => [],
  };
}
