import type { DialogRule } from '../../ports/agent-adapter.ts';
import { approval, choice } from '../shared/dialog-rule.ts';

const NO = /^no\b/i;
const EXIT = /^no, exit$/i;

export const trust = approval(
  'trust',
  { yes: /^yes, i trust this folder$/i, no: EXIT },
  { policy: 'trust' },
);

export const bypassWarning = approval(
  'bypass-warning',
  { yes: /^yes, i accept$/i, no: EXIT },
  { policy: 'skip', detail: 'bypass' },
);

/**
 * Seen once per key: the answer is stored in `~/.claude.json` with the last 20 characters of it. A yes
 * moves the bill from a subscription to the key, and Claude itself recommends no, so a person decides.
 */
export const customApiKey = approval(
  'custom-api-key',
  { yes: /^yes$/i, no: NO },
  { detail: 'api-key' },
);

export const permission = approval('permission', { yes: /^yes$/i, no: NO });

/** Approval of a plan (plan mode). A plain yes goes on with every edit still asked for. */
export const plan = approval('plan', {
  yes: /^yes$|^yes,.*(?:manually approve edits|switch to default)/i,
  no: NO,
});

export const question = choice('question');

/** The account's limit is used up: wait, go on by itself later, or buy. */
export const limitMenu = choice('limit');

export const login = choice('login');

/** Any other numbered menu, for example the one that confirms `/model`. */
export const menu = choice('menu');

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
