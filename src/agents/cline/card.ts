import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { dialogRules } from './dialog-rules.ts';

/** Cline CLI; every number below was measured with 3.0.65. */
export const card: CapabilityCard = {
  binaries: ['cline'],
  // It makes one at the first prompt. An id that it does not know it takes as that of a new conversation,
  // but nothing promises that.
  conversationId: 'hook',
  conversationIdKey: 'cline_session_id_own',
  hookIdentity: 'path',
  // None fires before the first prompt.
  readyHook: false,
  // Its list of servers is one file that it reads and writes: a merged copy would lose what is changed.
  takesMcpFiles: false,
  // 1 MiB makes it compact its own context first.
  inlineLimitBytes: 262_144,
  // An Enter right after a paste is a line break.
  enterDelayMs: 600,
  // The hook comes 0.1 s after Enter; the prompt is stored after the model's first answer.
  evidenceTimeoutMs: 8_000,
  composer: 'readable',
  quit: { text: '/quit' },
  // npm's `cline` waits for the native program, which is its child.
  termTarget: 'child',
  envPass: ['CLINE_*'],
  // What it sets for its tools. CLINE_DATA_DIR is one of them and names the same folder: it is passed on.
  envMarkers: [
    'CLINE_SANDBOX',
    'CLINE_SANDBOX_DATA_DIR',
    'CLINE_DB_DATA_DIR',
    'CLINE_SESSION_DATA_DIR',
    'CLINE_TEAM_DATA_DIR',
    'CLINE_PROVIDER_SETTINGS_PATH',
    'CLINE_HOOKS_LOG_PATH',
    'CLINE_HOOK_AGENT_RESUME',
    'CLINE_CONNECTOR_CLI_LAUNCH',
    'CLINE_WRAPPER_PATH',
  ],
  // None of ours starts it (launch.ts); one of the user's may be a child of ours all the same.
  sharedDaemons: ['--cline-hub-daemon'],
  dialogSettleMs: 300,
  limitGraceMs: 180_000,
  dialogs: dialogRules,
};
