import type { DialogRule } from '../../ports/agent-adapter.ts';
import { approval, choice } from '../shared/dialog-rule.ts';

/** For every tool; the keys y and n answer it at once. */
export const permission = approval('permission', { yes: /^Approve$/, no: /^Deny$/ });

/** The model asks, by its tool `ask_question`. */
export const question = choice('question');

/** Which provider, and its key: for a person. */
export const login = choice('login');

/** An advertisement; Enter opens a page of it in the browser. */
export const promo = choice('promo');

export const dialogRules: readonly DialogRule[] = [permission, question, login, promo];
