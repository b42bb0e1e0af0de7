import type { DialogRule } from '../../ports/agent-adapter.ts';
import { approval, choice } from '../shared/dialog-rule.ts';

/** "No" ends the program. It asks even when permissions are skipped. */
export const trust = approval(
  'trust',
  { yes: /^yes, i trust this folder$/i, no: /^no, exit$/i },
  { policy: 'trust' },
);

/** How to sign in, the wait for it, and the theme and terms of the first run. */
export const login = choice('login');

const PERMISSION = { detail: 'permission' };

/** 1.2 on: `Yes, run command` and `No, cancel`. The others are for the conversation, or for good. */
export const permissionCommand = approval(
  'permission-command',
  { yes: /^yes(?:, run command)?$/i, no: /^no(?:, cancel)?$/i },
  PERMISSION,
);

export const permissionFile = approval(
  'permission-file',
  {
    yes: /^yes, allow (?:creation|edits?|changes?)$/i,
    no: /^no, deny (?:creation|edits?|changes?)$/i,
  },
  PERMISSION,
);

/** A file outside of the workspace. */
export const permissionAccess = approval(
  'permission-access',
  { yes: /^yes, allow access$/i, no: /^no, deny access$/i },
  PERMISSION,
);

/** One of several, or, without options, several at once or an answer in words: those need a person. */
export const question = choice('question');

/** Any other numbered choice that asks something. */
export const menu = choice('menu');

export const dialogRules: readonly DialogRule[] = [
  trust,
  login,
  permissionCommand,
  permissionFile,
  permissionAccess,
  question,
  menu,
];
