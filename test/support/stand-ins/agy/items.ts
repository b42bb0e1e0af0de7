import type { BannerFacts } from './frame.ts';
import { clip, hang, turnRule, wrapWords } from './layout.ts';
import { LOGO } from './start-dialogs.ts';
import type { ToolUse, Wording } from './wording.ts';

/** One piece of the conversation on the screen. */
export type Item =
  | { readonly kind: 'banner' }
  /** In column 0, as it is. */
  | { readonly kind: 'rows'; readonly rows: readonly string[] }
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'thought'; readonly seconds: number; readonly title: string }
  | {
      readonly kind: 'tool';
      readonly tool: ToolUse;
      readonly isQueued: boolean;
      readonly result?: string;
    }
  | { readonly kind: 'answer'; readonly text: string }
  /** With a title in column 0. */
  | { readonly kind: 'notice'; readonly title: string; readonly text: string }
  | { readonly kind: 'result'; readonly text: string };

/** Blank rows stand between pieces, but not between a turn's rule and its prompt. */
export function renderItems(
  items: readonly Item[],
  facts: BannerFacts,
  wording: Wording,
  cols: number,
): readonly string[] {
  return items.flatMap((item, i) => {
    const rows = renderItem(item, facts, wording, cols);
    return i === 0 ? rows : ['', ...rows];
  });
}

function renderItem(item: Item, facts: BannerFacts, wording: Wording, cols: number): string[] {
  switch (item.kind) {
    case 'banner':
      return renderBanner(facts, wording, cols);
    case 'rows':
      return item.rows.flatMap((row) => wrapWords(row, cols));
    case 'prompt':
      return [turnRule(cols), ...hang('> ', item.text, cols)];
    case 'thought':
      return [`▸ Thought for ${item.seconds}s, 175 tokens`, clip(`  ${item.title}`, cols)];
    case 'tool': {
      const line = `${item.isQueued ? '○' : '●'} ${wording.toolLine(item.tool)}`;
      const result = item.result === undefined ? [] : hang('  ⎿  ', item.result, cols);
      return [...wrapWords(line, cols), ...result];
    }
    case 'answer':
      return hang('  ', item.text, cols);
    case 'notice':
      return [clip(`⚠ ${item.title}`, cols), ...wrapWords(`  ⎿  ${item.text}`, cols, '     ')];
    case 'result':
      return hang('  ⎿  ', item.text, cols);
  }
}

function renderBanner(
  { version, account, folder }: BannerFacts,
  { bannerBesideFrom, bannerModel }: Wording,
  cols: number,
): string[] {
  const lines = [`Antigravity CLI ${version}`, account, bannerModel, folder];
  if (cols < bannerBesideFrom)
    return [...LOGO, '', ...lines.map((line) => clip(`  ${line}`, cols))];
  return LOGO.map((row, i) => clip(`${row.padEnd(18)}${lines[i] ?? ''}`, cols).trimEnd());
}
