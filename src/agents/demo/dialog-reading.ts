import type { Screen } from '../../domain/screen.ts';
import type { Dialog, DialogRule, ScreenReading } from '../../ports/agent-adapter.ts';
import { type Menu, parseMenu } from '../shared/menu.ts';
import { rowsBelowLastRule } from '../shared/screen-regions.ts';
import { loginRule, permissionRule, questionRule, trustRule } from './card.ts';

interface DialogPattern {
  readonly rule: DialogRule;
  /** The first row, and the last one. */
  readonly first: string;
  readonly hint: RegExp;
  /** A row that must stand directly above the options, blanks between them left out. */
  readonly question?: RegExp;
}

const patterns: readonly DialogPattern[] = [
  {
    rule: permissionRule,
    first: ' Bash command',
    hint: /^ Esc to cancel$/,
    question: /^ Do you want to proceed\?$/,
  },
  { rule: questionRule, first: ' Question', hint: /^ Enter to select · / },
  {
    rule: trustRule,
    first: ' Accessing workspace:',
    hint: /^ Enter to confirm · Esc to cancel$/,
    question: /^ Quick safety check: /,
  },
];

/** The dialog below the last rule, if it is exactly one of the known ones. */
export function readDialog(screen: Screen): ScreenReading | undefined {
  const rows = rowsBelowLastRule(screen).map((row) => row.text.trimEnd());
  if (rows[0] === ' Not signed in' && rows.at(-1) === ' Press Enter to open the browser')
    return awaiting({ rule: loginRule, title: 'Not signed in', options: [] });
  const menu = parseMenu(rows);
  const pattern = patterns.find(
    (each) => rows[0] === each.first && each.hint.test(rows.at(-1) ?? ''),
  );
  if (menu === undefined || pattern === undefined || !isWhole(rows, menu)) return undefined;
  const heading = rows.slice(0, menu.first).filter((row) => row !== '');
  if (pattern.question !== undefined && !pattern.question.test(heading.at(-1) ?? ''))
    return undefined;
  const title = heading.map((row) => row.trim()).join(' · ');
  return awaiting({ rule: pattern.rule, title, options: menu.options });
}

/** Below the options there is nothing but the hint. */
function isWhole(rows: readonly string[], menu: Menu): boolean {
  return rows.slice(menu.last + 1, -1).every((row) => row === '');
}

function awaiting(dialog: Dialog): ScreenReading {
  const state = dialog.rule.kind === 'approval' ? 'awaiting-approval' : 'awaiting-answer';
  return { state, detail: dialog.rule.detail, dialog };
}
