import type { Screen } from '../../domain/screen.ts';
import type { Dialog, DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import { type DialogRegion, RULE, readDialogRegion } from './dialog-region.ts';
import * as rules from './dialog-rules.ts';

/**
 * The dialog at the bottom of the screen; the box is not drawn while one is open. Up and Down move the
 * mark, Enter takes the marked option, and so does a digit; Esc cancels, and ends the turn.
 */
export function readDialog(screen: Screen): ScreenReading | undefined {
  const region = readDialogRegion(screen);
  const pattern = region && patterns.find(({ matches }) => matches(region));
  if (region === undefined || pattern === undefined) return undefined;
  const { rule, title } = pattern;
  const { options, above } = region;
  const takesSeveral = options.some(({ label }) => TICK.test(label));
  return showing({
    rule,
    title: title(region),
    options: takesSeveral ? [] : options,
    occurrence: occurrence(above),
  });
}

export function showing(dialog: Dialog): ScreenReading {
  const state = dialog.rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
  return { state, detail: dialog.rule.detail, dialog };
}

/** Enter sends what is ticked: by moving the mark alone nothing is chosen. */
const TICK = /^\[[ x]\] /;

/**
 * The tools above (of two equal commands only those tell which one asks: `○` becomes `●`, or a count
 * grows), and everything below the heading.
 */
function occurrence(above: readonly string[]): string {
  const heading = Math.max(0, above.lastIndexOf(RULE));
  const tools = above.slice(0, heading).filter((row) => /^[●○] /.test(row));
  return [...tools, ...above.slice(heading)].filter((row) => row !== '').join('\n');
}

interface DialogPattern {
  readonly rule: DialogRule;
  /** What is asked, one line. */
  title(region: DialogRegion): string;
  matches(region: DialogRegion): boolean;
}

/** The first that matches decides: the general one stands last. */
const patterns: readonly DialogPattern[] = [
  saying(rules.trust, /^Do you trust the contents of this project\?$/, hasAnswers),
  saying(rules.login, /^ ?Select login method:$/, hasChoice),
  saying(rules.login, /^ ?(?:Choose|Pick|Select) .*\bcolou?r scheme\b/i, hasChoice),
  saying(rules.login, /^ *Terms and Privacy:$/, hasButtons),
  asking(rules.permissionCommand, /^(?:Do you want to proceed|Run this command)\?$/),
  asking(rules.permissionAccess, /^Allow access to this file\?$/),
  asking(rules.permissionFile, /^Allow .*\bthis file\?$/),
  {
    rule: rules.question,
    title: questionText,
    matches: (region) => questionText(region) !== '',
  },
  {
    rule: rules.menu,
    title: lastRow,
    matches: (region) =>
      region.numbered && hasChoice(rules.menu, region) && /\?$/.test(lastRow(region)),
  },
];

type Proof = (rule: DialogRule, region: DialogRegion) => boolean;

/** A row somewhere above the options says it: nothing but the program writes in the first columns. */
function saying(rule: DialogRule, words: RegExp, proof: Proof): DialogPattern {
  const find = ({ above }: DialogRegion) => above.findLast((row) => words.test(row));
  return {
    rule,
    title: (region) => find(region)?.trim() ?? '',
    matches: (region) => find(region) !== undefined && proof(rule, region),
  };
}

/** The row directly above the options asks it, and its answers are those that we know. */
function asking(rule: DialogRule, words: RegExp): DialogPattern {
  return {
    rule,
    title: lastRow,
    matches: (region) => words.test(lastRow(region)) && hasAnswers(rule, region),
  };
}

function hasAnswers({ yes, no }: DialogRule, { options }: DialogRegion): boolean {
  return [yes, no].every((words) => options.some(({ label }) => words?.test(label)));
}

function hasChoice(_rule: DialogRule, { options }: DialogRegion): boolean {
  return options.length > 1;
}

/** `[Previous]    >  Done`, side by side. */
function hasButtons(_rule: DialogRule, region: DialogRegion): boolean {
  return /^(?:> *)?\[?Previous\]? .*\bDone\b/.test(lastRow(region));
}

function lastRow({ above }: DialogRegion): string {
  return above.findLast((row) => row !== '')?.trim() ?? '';
}

/** `Question 1/2: …`, with nothing between it and the options, or the place of an answer in words. */
function questionText({ above }: DialogRegion): string {
  const at = above.findLastIndex((row) => /^Question \d+\/\d+: \S/.test(row));
  if (at === -1) return '';
  const end = above.indexOf('', at);
  const text = above.slice(at, end === -1 ? undefined : end);
  const rest = end === -1 ? [] : above.slice(end);
  const isNext = rest.every((row) => row === '' || row === 'Your answer:' || /^> ?/.test(row));
  return isNext ? text.map((row) => row.trim()).join(' ') : '';
}
