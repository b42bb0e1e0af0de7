import type { DialogRule } from '../../ports/agent-adapter.ts';

/** "No" goes on in the folder, without its settings. After "yes" the program starts anew, 3 s. */
export const trust: DialogRule = {
  id: 'trust',
  kind: 'approval',
  yes: /^trust folder\b/i,
  no: /^don't trust$/i,
  policy: 'trust',
  detail: 'trust',
};

/** How to log in, and the key itself, which has no options. */
export const login: DialogRule = {
  id: 'login',
  kind: 'answer',
  policy: 'never',
  detail: 'login',
};

const ALLOW = /^(?:allow|yes, allow) once$/i;
const DECLINE = /^no\b/i;

export const permissionShell: DialogRule = {
  id: 'permission-shell',
  kind: 'approval',
  yes: ALLOW,
  no: DECLINE,
  policy: 'never',
  detail: 'permission',
};

export const permissionWrite: DialogRule = {
  id: 'permission-write',
  kind: 'approval',
  yes: ALLOW,
  no: DECLINE,
  policy: 'never',
  detail: 'permission',
};

/** For any other tool. */
export const permission: DialogRule = {
  id: 'permission',
  kind: 'approval',
  yes: ALLOW,
  no: DECLINE,
  policy: 'never',
  detail: 'permission',
};

/** The day's quota is used up: keep trying, or stop. */
export const quota: DialogRule = {
  id: 'quota',
  kind: 'answer',
  policy: 'never',
  detail: 'limit',
};

/** An answer that repeats itself is cut off. */
export const loop: DialogRule = {
  id: 'loop',
  kind: 'answer',
  policy: 'never',
  detail: 'loop',
};

/** Any other menu in a box at the bottom of the screen. */
export const menu: DialogRule = {
  id: 'menu',
  kind: 'answer',
  policy: 'never',
  detail: 'menu',
};

export const dialogRules: readonly DialogRule[] = [
  trust,
  login,
  permissionShell,
  permissionWrite,
  permission,
  quota,
  loop,
  menu,
];
