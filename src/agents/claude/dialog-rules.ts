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
 * Only seen when the caller's own `ANTHROPIC_API_KEY` was passed on, so a yes confirms no more than
 * that; the answer is stored in `~/.claude.json`, with the last 20 characters of the key.
 */
export const customApiKey: DialogRule = {
  id: 'custom-api-key',
  kind: 'approval',
  yes: /^yes$/i,
  no: /^no\b/i,
  policy: 'seeded',
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
  question,
  limitMenu,
  login,
  menu,
];
