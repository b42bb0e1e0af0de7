import type { CapabilityCard } from '../../ports/agent-adapter.ts';
import { approval, choice } from '../shared/dialog-rule.ts';

export const permissionRule = approval(
  'permission',
  { yes: /^Yes$/, no: /^No$/ },
  { policy: 'skip' },
);

export const questionRule = choice('question');

export const trustRule = approval(
  'trust',
  { yes: /^Yes, I trust this folder$/, no: /^No, exit$/ },
  { policy: 'trust' },
);

export const loginRule = choice('login');

export const card: CapabilityCard = {
  binaries: ['mam-demo-agent'],
  conversationId: 'minted',
  conversationIdKey: 'demo_conversation_id_own',
  hookIdentity: 'path',
  readyHook: true,
  takesMcpFiles: true,
  inlineLimitBytes: 1_048_576,
  enterDelayMs: 100,
  evidenceTimeoutMs: 2000,
  composer: 'readable',
  quit: { text: '/exit' },
  termTarget: 'agent',
  envPass: ['DEMO_*'],
  envMarkers: [],
  sharedDaemons: [],
  dialogSettleMs: 0,
  limitGraceMs: 0,
  dialogs: [trustRule, permissionRule, questionRule, loginRule],
};
