import type { CapabilityCard, DialogRule } from '../../ports/agent-adapter.ts';

export const permissionRule: DialogRule = {
  id: 'permission',
  kind: 'approval',
  yes: /^Yes$/,
  no: /^No$/,
  policy: 'skip',
  detail: 'permission',
};

export const questionRule: DialogRule = {
  id: 'question',
  kind: 'answer',
  policy: 'never',
  detail: 'question',
};

export const trustRule: DialogRule = {
  id: 'trust',
  kind: 'approval',
  yes: /^Yes, I trust this folder$/,
  no: /^No, exit$/,
  policy: 'trust',
  detail: 'trust',
};

export const loginRule: DialogRule = {
  id: 'login',
  kind: 'answer',
  policy: 'never',
  detail: 'login',
};

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
