import type { DialogRule } from '../../ports/agent-adapter.ts';

/** "No" ends the program. It asks even when permissions are skipped. */
export const trust: DialogRule = {
  id: 'trust',
  kind: 'approval',
  yes: /^yes, i trust this folder$/i,
  no: /^no, exit$/i,
  policy: 'trust',
  detail: 'trust',
};

/** How to sign in, the wait for it, and the theme and terms of the first run. */
export const login: DialogRule = {
  id: 'login',
  kind: 'answer',
  policy: 'never',
  detail: 'login',
};

/** 1.2 on: `Yes, run command` and `No, cancel`. The others are for the conversation, or for good. */
export const permissionCommand: DialogRule = {
  id: 'permission-command',
  kind: 'approval',
  yes: /^yes(?:, run command)?$/i,
  no: /^no(?:, cancel)?$/i,
  policy: 'never',
  detail: 'permission',
};

export const permissionFile: DialogRule = {
  id: 'permission-file',
  kind: 'approval',
  yes: /^yes, allow (?:creation|edits?|changes?)$/i,
  no: /^no, deny (?:creation|edits?|changes?)$/i,
  policy: 'never',
  detail: 'permission',
};

/** A file outside of the workspace. */
export const permissionAccess: DialogRule = {
  id: 'permission-access',
  kind: 'approval',
  yes: /^yes, allow access$/i,
  no: /^no, deny access$/i,
  policy: 'never',
  detail: 'permission',
};

/** One of several, or, without options, several at once or an answer in words: those need a person. */
export const question: DialogRule = {
  id: 'question',
  kind: 'answer',
  policy: 'never',
  detail: 'question',
};

/** Any other numbered choice that asks something. */
export const menu: DialogRule = {
  id: 'menu',
  kind: 'answer',
  policy: 'never',
  detail: 'menu',
};

export const dialogRules: readonly DialogRule[] = [
  trust,
  login,
  permissionCommand,
  permissionFile,
  permissionAccess,
  question,
  menu,
];
