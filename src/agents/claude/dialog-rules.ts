import type { DialogRule } from '../../ports/agent-adapter.ts';

export const trust: DialogRule = {
  id: 'trust',
  kind: 'approval',
  yes: /^yes, i trust this folder$/i,
  no: /^no, exit$/i,
  policy: 'trust',
  detail: 'trust',
};

export const bypassWarning: DialogRule = {
  id: 'bypass-warning',
  kind: 'approval',
  yes: /^yes, i accept$/i,
  no: /^no, exit$/i,
  policy: 'skip',
  detail: 'bypass',
};

/**
 * Seen once per key: the answer is stored in `~/.claude.json` with the last 20 characters of it. A yes
 * moves the bill from a subscription to the key, and Claude itself recommends no, so a person decides.
 */
export const customApiKey: DialogRule = {
  id: 'custom-api-key',
  kind: 'approval',
  yes: /^yes$/i,
  no: /^no\b/i,
  policy: 'never',
  detail: 'api-key',
};

export const permission: DialogRule = {
  id: 'permission',
  kind: 'approval',
  yes: /^yes$/i,
  no: /^no\b/i,
  policy: 'never',
  detail: 'permission',
};

/** Approval of a plan (plan mode). A plain yes goes on with every edit still asked for. */
export const plan: DialogRule = {
  id: 'plan',
  kind: 'approval',
  yes: /^yes$|^yes,.*(?:manually approve edits|switch to default)/i,
  no: /^no\b/i,
  policy: 'never',
  detail: 'plan',
};

export const question: DialogRule = {
  id: 'question',
  kind: 'answer',
  policy: 'never',
  detail: 'question',
};

/** The account's limit is used up: wait, go on by itself later, or buy. */
export const limitMenu: DialogRule = {
  id: 'limit',
  kind: 'answer',
  policy: 'never',
  detail: 'limit',
};

export const login: DialogRule = {
  id: 'login',
  kind: 'answer',
  policy: 'never',
  detail: 'login',
};

/** Any other numbered menu, for example the one that confirms `/model`. */
export const menu: DialogRule = {
  id: 'menu',
  kind: 'answer',
  policy: 'never',
  detail: 'menu',
};

export const dialogRules: readonly DialogRule[] = [
  trust,
  bypassWarning,
  customApiKey,
  permission,
  plan,
  question,
  limitMenu,
  login,
  menu,
];
