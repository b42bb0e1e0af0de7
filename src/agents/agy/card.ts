import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { dialogRules } from './dialog-rules.ts';

/** Antigravity CLI. What is said of it here was recorded by others, of 1.0.10 to 1.3.1. */
export const card: CapabilityCard = {
  binaries: ['agy'],
  // It chooses the id itself, with the first prompt.
  conversationId: 'store',
  conversationIdKey: 'agy_conversation_id_own',
  hookIdentity: 'path',
  // Its hooks are in a file of the user's, and the first fires with the first prompt.
  readyHook: false,
  takesMcpFiles: false,
  inlineLimitBytes: 262_144,
  // An Enter within 0.7 s of a paste is a line break; 1.2 to 2 s were needed with some models.
  enterDelayMs: 1_500,
  // The prompt is in its transcript before the model has answered.
  evidenceTimeoutMs: 8_000,
  composer: 'readable',
  quit: { text: '/exit' },
  // One process; its shell children outlive it.
  termTarget: 'agent',
  envPass: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'AGY_CLI_*'],
  // What it sets for its tools and hooks.
  envMarkers: [
    'ANTIGRAVITY_AGENT',
    'ANTIGRAVITY_CONVERSATION_ID',
    'ANTIGRAVITY_LS_VERSION',
    'ANTIGRAVITY_PROJECT_ID',
    'ANTIGRAVITY_TRAJECTORY_ID',
    'JETSKI_APP_DATA_DIR',
  ],
  sharedDaemons: [],
  dialogSettleMs: 300,
  limitGraceMs: 180_000,
  dialogs: dialogRules,
};
