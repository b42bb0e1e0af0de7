import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { dialogRules } from './dialog-rules.ts';

/** Claude Code; every number below was measured with 2.1.332 and 2.1.197. */
export const card: CapabilityCard = {
  binaries: ['claude'],
  conversationId: 'minted',
  conversationIdKey: 'claude_session_id_own',
  hookIdentity: 'path',
  readyHook: true,
  takesMcpFiles: true,
  // 1 MiB of Hangul, CJK, emoji and tabs arrived whole, its hook 150 ms after Enter.
  inlineLimitBytes: 1_048_576,
  // Without any pause Enter was taken as well; the pause covers a loaded machine.
  enterDelayMs: 300,
  // UserPromptSubmit comes 10 to 150 ms after Enter; a loaded machine takes longer.
  evidenceTimeoutMs: 3_000,
  composer: 'readable',
  // Typed whole, it is the first choice of the completion menu: Enter ends Claude 0.15 s later with 0.
  quit: { text: '/exit' },
  termTarget: 'agent',
  envPass: [
    'ANTHROPIC_*',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    // A person who opted out keeps it so; the first two make 2.1.332 use the alternate screen.
    'DISABLE_TELEMETRY',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'DISABLE_ERROR_REPORTING',
    'DISABLE_AUTOUPDATER',
    // Root may skip permissions only with this.
    'IS_SANDBOX',
  ],
  // What its tools and hooks were seen to get.
  envMarkers: [
    'CLAUDECODE',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_SSE_PORT',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_CHILD_NOTES_DIR',
    'CLAUDE_CODE_SESSION_ATTENDED',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'CLAUDE_CODE_EXECPATH',
    'CLAUDE_EFFORT',
    'CLAUDE_PID',
    'CLAUDE_PROJECT_DIR',
    'AI_AGENT',
  ],
  // `/fork`, `--bg` and the agents view start one daemon per user, with spare children.
  sharedDaemons: ['--spawned-by', '--bg-pty-host', '--bg-spare'],
  // 2.1.332 drops what comes within 0.1 to 0.3 s of the drawing, against keys meant for the composer.
  // 2.1.332 sends its own "Continue the task" about 80 s after the reset.
  limitGraceMs: 180_000,
  dialogSettleMs: 600,
  dialogs: dialogRules,
};
