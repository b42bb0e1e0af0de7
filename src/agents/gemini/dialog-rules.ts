import type { DialogRule } from '../../ports/agent-adapter.ts';
import { approval, choice } from '../shared/dialog-rule.ts';

/**
 * "No" goes on in the folder, without its settings. After "yes" the program starts anew, 3 s: but not when
 * it is answered before it has begun its chat, some 0.5 s after it shows the question. Then it draws anew,
 * forgets to start, and goes on without hooks and without `--yolo` (0.61.0, `useFolderTrust`).
 */
export const trust: DialogRule = {
  ...approval('trust', { yes: /^trust folder\b/i, no: /^don't trust$/i }, { policy: 'trust' }),
  afterConversation: true,
};

/** How to log in, and the key itself, which has no options. */
export const login = choice('login');

const ONCE = { yes: /^(?:allow|yes, allow) once$/i, no: /^no\b/i };
const PERMISSION = { detail: 'permission' };

export const permissionShell = approval('permission-shell', ONCE, PERMISSION);

export const permissionWrite = approval('permission-write', ONCE, PERMISSION);

/** For any other tool. */
export const permission = approval('permission', ONCE);

/** The day's quota is used up: keep trying, or stop. */
export const quota = choice('quota', 'limit');

/** An answer that repeats itself is cut off. */
export const loop = choice('loop');

/** Any other menu in a box at the bottom of the screen. */
export const menu = choice('menu');

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
