import type { DialogRule } from '../../ports/agent-adapter.ts';

/** For every tool; the keys y and n answer it at once. */
export const permission: DialogRule = {
  id: 'permission',
  kind: 'approval',
  yes: /^Approve$/,
  no: /^Deny$/,
  policy: 'never',
  detail: 'permission',
};

/** The model asks, by its tool `ask_question`. */
export const question: DialogRule = {
  id: 'question',
  kind: 'answer',
  policy: 'never',
  detail: 'question',
};

/** Which provider, and its key: for a person. */
export const login: DialogRule = {
  id: 'login',
  kind: 'answer',
  policy: 'never',
  detail: 'login',
};

/** An advertisement; Enter opens a page of it in the browser. */
export const promo: DialogRule = {
  id: 'promo',
  kind: 'answer',
  policy: 'never',
  detail: 'promo',
};

export const dialogRules: readonly DialogRule[] = [permission, question, login, promo];
