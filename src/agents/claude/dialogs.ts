import type { Screen } from '../../domain/screen.ts';
import type { DialogOption, DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import { type DialogRegion, readDialogRegion } from './dialog-region.ts';
import * as rules from './dialog-rules.ts';

/**
 * The dialog at the bottom of the screen. While one is open Claude draws no composer, so the caller
 * looks for that first; a menu quoted in an answer has a composer, or other text, below it.
 *
 * In both versions Up and Down move the mark, Enter takes the marked option, Esc declines. Order, marked
 * option and numbers differ between them (trust: 2.1.197 `❯ 1. Yes…`, 2.1.332 `❯ No, exit` first), so an
 * option is found by its words. Neither an answer nor Esc fires a hook; no to a permission ends the turn.
 */
export function readDialog(screen: Screen): ScreenReading | undefined {
  const region = readDialogRegion(screen);
  const rule = region && patterns.find((pattern) => pattern.matches(region))?.rule;
  if (region === undefined || rule === undefined) return undefined;
  const { title, options } = region;
  return { state: stateFor(rule), detail: rule.detail, dialog: { rule, title, options } };
}

function stateFor(rule: DialogRule): ScreenReading['state'] {
  if (rule === rules.limitMenu) return 'limited';
  return rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
}

interface DialogPattern {
  readonly rule: DialogRule;
  matches(region: DialogRegion): boolean;
}

/** The first that matches decides: the general ones stand last. */
const patterns: readonly DialogPattern[] = [
  { rule: rules.trust, matches: ({ options }) => hasOption(options, rules.trust.yes) },
  {
    rule: rules.bypassWarning,
    matches: ({ heading, options }) =>
      hasRow(heading, /running in Bypass Permissions mode/) &&
      hasOption(options, rules.bypassWarning.yes),
  },
  {
    rule: rules.customApiKey,
    matches: ({ title }) => /^Do you want to use this API key\?/.test(title),
  },
  {
    rule: rules.limitMenu,
    matches: ({ options }) => hasOption(options, /wait for limit to reset/i),
  },
  { rule: rules.login, matches: ({ heading }) => hasRow(heading, /^Select login method:/) },
  {
    rule: rules.plan,
    matches: ({ heading }) => hasRow(heading, /^Exit plan mode\?$|^Claude has written up a plan/),
  },
  {
    rule: rules.permission,
    matches: ({ options }) =>
      hasOption(options, rules.permission.yes) && hasOption(options, rules.permission.no),
  },
  { rule: rules.question, matches: ({ hint }) => /^Enter to select · /.test(hint) },
  {
    rule: rules.menu,
    matches: ({ numbered, hint }) => numbered && /\bEnter to /.test(hint) && /\bEsc to /.test(hint),
  },
];

function hasOption(options: readonly DialogOption[], label: RegExp | undefined): boolean {
  return label !== undefined && options.some((option) => label.test(option.label));
}

function hasRow(rows: readonly string[], text: RegExp): boolean {
  return rows.some((row) => text.test(row));
}
