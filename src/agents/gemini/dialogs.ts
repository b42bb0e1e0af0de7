import type { Screen } from '../../domain/screen.ts';
import type { DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import { type DialogBox, readDialogBox } from './dialog-box.ts';
import * as rules from './dialog-rules.ts';

/**
 * The dialog at the bottom of the screen: while one is open no composer is drawn. Up and Down move the
 * mark, Enter takes the marked option, Esc declines.
 */
export function readDialog(screen: Screen): ScreenReading | undefined {
  const box = readDialogBox(screen);
  const pattern = box && patterns.find(({ matches }) => matches(box));
  if (box === undefined || pattern === undefined) return undefined;
  const { rule, title } = pattern;
  const asked = box.heading.findLast((row) => title.test(row)) ?? box.heading.at(-1) ?? '';
  return {
    state: stateFor(rule),
    detail: rule.detail,
    dialog: { rule, title: asked, options: box.options },
  };
}

function stateFor(rule: DialogRule): ScreenReading['state'] {
  if (rule === rules.quota) return 'limited';
  return rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
}

interface DialogPattern {
  readonly rule: DialogRule;
  /** The row that asks. */
  readonly title: RegExp;
  matches(box: DialogBox): boolean;
}

/** The first that matches decides: the general ones stand last. */
const patterns: readonly DialogPattern[] = [
  asking(rules.trust, /^Do you trust the files in this folder\?$/),
  asking(rules.login, /^How would you like to authenticate for this project\?$/),
  { ...asking(rules.login, /^Enter Gemini API Key$/), matches: asksForKey },
  asking(rules.quota, /^Usage limit reached\b/),
  asking(rules.loop, /^\?? *A potential loop was detected$/),
  asking(rules.permissionShell, /^Allow execution of \[?Shell\b/),
  asking(rules.permissionWrite, /^Apply this change\?$/),
  {
    rule: rules.permission,
    title: /\?$/,
    matches: ({ options }) =>
      [rules.permission.yes, rules.permission.no].every((words) =>
        options.some(({ label }) => words?.test(label)),
      ),
  },
  {
    rule: rules.menu,
    title: /\?$/,
    matches: ({ options, numbered }) => numbered && options.length > 1,
  },
];

function asking(rule: DialogRule, title: RegExp): DialogPattern {
  return {
    rule,
    title,
    matches: ({ heading, options }) => options.length > 1 && heading.some((row) => title.test(row)),
  };
}

function asksForKey({ heading }: DialogBox): boolean {
  return heading[0] === 'Enter Gemini API Key';
}
