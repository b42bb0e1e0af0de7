import type { Screen } from '../../domain/screen.ts';
import type { Dialog, DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import { parseMenu } from '../shared/menu.ts';
import { lastFilledRow } from '../shared/screen-regions.ts';
import * as rules from './dialog-rules.ts';

/**
 * The dialog in the composer's place: what stands on the status bar. Answers, prompts and results are
 * indented, so that no quote of a dialog begins in its column.
 *
 * @param modeRow - See `findModeRow`.
 */
export function readDialog({ rows }: Screen, modeRow: number): ScreenReading | undefined {
  const texts = rows.slice(0, modeRow).map(({ text }) => text.trimEnd());
  return readPermission(texts) ?? readQuestion(texts);
}

const PERMISSION = /^ Cline needs permission$/;
const KEYS = /^ {1,3}\[y\] Approve +\[n\] Deny$/;

/** What it wants to do may be quoted in itself: the first title counts. */
function readPermission(texts: readonly string[]): ScreenReading | undefined {
  const keys = lastFilled(texts, KEYS);
  const title = texts.findIndex((text) => PERMISSION.test(text));
  if (keys === undefined || title === -1) return undefined;
  const asked = words(texts.slice(title + 1, keys));
  if (!asked.startsWith('Approve tool call?')) return undefined;
  return reading(rules.permission, asked, [
    { label: 'Approve', marked: false, key: 'y' },
    { label: 'Deny', marked: false, key: 'n' },
  ]);
}

const QUESTION = /^ Cline is asking a question$/;

function readQuestion(texts: readonly string[]): ScreenReading | undefined {
  const title = texts.findIndex((text) => QUESTION.test(text));
  const end = texts.findLastIndex((text) => text !== '');
  if (title === -1) return undefined;
  const rows = texts.slice(title + 1, end + 1);
  const menu = parseMenu(rows, '>');
  if (menu === undefined || menu.last !== rows.length - 1) return undefined;
  return reading(rules.question, words(rows.slice(0, menu.first)), menu.options);
}

/** Index of the last filled row, when it matches. */
function lastFilled(texts: readonly string[], pattern: RegExp): number | undefined {
  const at = texts.findLastIndex((text) => text !== '');
  return pattern.test(texts[at] ?? '') ? at : undefined;
}

/** An onboarding view, whichever. */
export function readLogin({ rows }: Screen): ScreenReading | undefined {
  const hint = rows[lastFilledRow(rows)]?.text ?? '';
  const title = rows.find(({ text }) => ONBOARDING.test(text))?.text.trim();
  if (title === undefined || !/ Ctrl\+C to exit *$/.test(hint)) return undefined;
  return reading(rules.login, title, []);
}

const ONBOARDING = /^ +(?:Welcome to Cline|Choose a provider) *$/;

const CLOSES = 'Press Enter to open, any other key to close';

/** @param panel - See `readPanel`. */
export function readPromo(panel: readonly string[]): ScreenReading | undefined {
  if (!panel.includes(CLOSES)) return undefined;
  const title = panel.find((row) => row !== '') ?? '';
  return reading(rules.promo, title, [{ label: 'Close', marked: false, key: 'Escape' }]);
}

function reading(rule: DialogRule, title: string, options: Dialog['options']): ScreenReading {
  const state = rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
  return { state, detail: rule.detail, dialog: { rule, title, options } };
}

const LONGEST_TITLE = 200;

function words(rows: readonly string[]): string {
  return rows.join(' ').replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE);
}
