import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { dialogRules } from './dialog-rules.ts';

/** Gemini CLI; every number below was measured with 0.61.0. */
export const card: CapabilityCard = {
  binaries: ['gemini'],
  // Its file is named by the first eight characters only: a random id tells enough by them.
  conversationId: 'minted',
  conversationIdKey: 'gemini_session_id_own',
  hookIdentity: 'path',
  // Hooks would need a file of the user's: nothing is told by them.
  readyHook: false,
  takesMcpFiles: false,
  inlineLimitBytes: 262_144,
  // An Enter within 40 ms of a paste is a line break, and a first draw takes no Enter for 0.3 s.
  enterDelayMs: 600,
  // The prompt is in the chat file 0.1 s after Enter, and after the answer of the model's router.
  evidenceTimeoutMs: 8_000,
  composer: 'readable',
  quit: { text: '/quit' },
  // The launcher ignores INT, TERM and HUP; its child ends both.
  termTarget: 'child',
  envPass: ['GEMINI_*', 'GOOGLE_*'],
  // What it sets for its own child, its tools, hooks and extensions. NO_RELAUNCH would end it at the
  // restart that follows the trust question.
  envMarkers: [
    'GEMINI_CLI',
    'GEMINI_CLI_NO_RELAUNCH',
    'GEMINI_CLI_ACTIVE_APPROVAL_MODE',
    'GEMINI_CLI_TOOL_CALL_NAME',
    'GEMINI_CLI_AGENT_ID',
    'GEMINI_CLI_AGENT_NAME',
    'GEMINI_PROJECT_DIR',
    'GEMINI_SESSION_ID',
  ],
  sharedDaemons: [],
  dialogSettleMs: 300,
  limitGraceMs: 180_000,
  dialogs: dialogRules,
};
