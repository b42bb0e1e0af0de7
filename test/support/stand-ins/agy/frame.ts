import type { Frame, Size } from '../../../../src/demo-agent/frame.ts';
import { renderBox } from './box-frame.ts';
import type { Dialog } from './dialog.ts';
import { type Item, renderItems } from './items.ts';
import { bothEnds, wrapWords } from './layout.ts';
import type { Wording } from './wording.ts';

/** What stands below the conversation. */
export type Bottom =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'dialog'; readonly dialog: Dialog }
  | { readonly kind: 'panel'; readonly rows: readonly string[] }
  | {
      readonly kind: 'box';
      readonly sign: '>' | '!';
      readonly draft: string;
      /** Commands that the draft may become; the marked one is what Enter takes. */
      readonly popup?: { readonly choices: readonly string[]; readonly marked: number };
    };

export interface View {
  readonly items: readonly Item[];
  readonly bottom: Bottom;
  /** The spinner's sign and word, while it works. */
  readonly spinner?: string;
  readonly tip?: string;
  readonly queued: readonly string[];
  readonly artifacts: number;
  readonly tasks: readonly string[];
  readonly survey: 'none' | 'above-footer' | 'instead';
  /** Left half of the footer, and the mode that stands before the model. */
  readonly hint: string;
  readonly mode: string;
  /** None when it is not known. */
  readonly model: string;
  readonly wording: Wording;
  readonly facts: BannerFacts;
}

export interface BannerFacts {
  readonly version: string;
  readonly account: string;
  readonly folder: string;
}

const SURVEY = [
  " How's the CLI experience so far? Help us improve:",
  ' [1] Good  [2] Fine  [3] Bad  [0] Skip',
];

/** Draws the whole screen: from the top, cut there when it does not fit. Pure. */
export function renderFrame(view: View, { cols, rows }: Size): Frame {
  const above = [...renderItems(view.items, view.facts, view.wording, cols)];
  const bottom = renderBottom(view, cols);
  const isFirst = above.length === 0;
  const gap = isFirst || bottom.rows.length === 0 || view.spinner !== undefined ? [] : [''];
  const all = [...above, ...gap, ...bottom.rows];
  const cut = Math.max(0, all.length - rows);
  const y = above.length + gap.length + bottom.cursor.y - cut;
  return {
    rows: all.slice(cut),
    cursor: { x: Math.min(bottom.cursor.x, cols - 1), y: Math.max(0, y) },
  };
}

interface Part {
  readonly rows: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

const TOP = { x: 0, y: 0 };

function renderBottom(view: View, cols: number): Part {
  const { bottom } = view;
  switch (bottom.kind) {
    case 'nothing':
      return { rows: [], cursor: TOP };
    case 'panel':
      return { rows: [...bottom.rows, footer(view, cols)], cursor: TOP };
    case 'dialog':
      return renderDialog(bottom.dialog, view, cols);
    case 'box': {
      const attached = renderAttached(view, cols);
      if (view.survey === 'instead')
        return { rows: [...attached, ...SURVEY, footer(view, cols)], cursor: TOP };
      const box = renderBox(bottom, cols);
      const below = [
        ...(bottom.popup ? [] : view.tasks.map((task) => `  ● ${task}`)),
        ...(view.survey === 'above-footer' ? SURVEY : []),
        footer(view, cols),
      ];
      const cursor = { ...box.cursor, y: box.cursor.y + attached.length };
      return { rows: [...attached, ...box.rows, ...below], cursor };
    }
  }
}

/** Between the conversation and the box. */
function renderAttached({ spinner, tip, queued, artifacts }: View, cols: number): string[] {
  const count = `${artifacts} artifact${artifacts === 1 ? '' : 's'} · /artifact to review`;
  return [
    ...(spinner === undefined ? [] : [spinner]),
    ...(tip === undefined ? [] : [`└ Tip: ${tip}`]),
    ...queued.map((text) => `▸ ${text}`),
    ...(artifacts > 0 ? [count.padStart(cols)] : []),
  ];
}

function renderDialog(dialog: Dialog, view: View, cols: number): Part {
  const heading = dialog.heading(cols);
  const indent = dialog.id === 'login' ? ' ' : '';
  const options = dialog.options.flatMap((label, i) => {
    const mark = `${indent}${i === dialog.marked ? '>' : ' '} `;
    const number = dialog.numbered ? `${i + 1}. ` : '';
    const isLast = i === dialog.options.length - 1;
    const tick = dialog.ticked && !isLast ? `[${dialog.ticked.includes(i) ? 'x' : ' '}] ` : '';
    return wrapWords(`${number}${tick}${label}`, cols - mark.length).map((row, at) =>
      at === 0 ? mark + row : row,
    );
  });
  const words = dialog.words === undefined ? [] : [`> ${dialog.words}`];
  const below = dialog.footer === 'none' ? [] : [footer(view, cols)];
  const rows = [...heading, ...options, ...words, '', dialog.hint, ...below];
  return { rows, cursor: { x: 0, y: heading.length + dialog.marked } };
}

function footer({ hint, mode, model, tasks, wording }: View, cols: number): string {
  const count = tasks.length > 0 ? ` · ${tasks.length} task(s) · /tasks` : '';
  const right = model === '' ? '' : `${mode === '' ? '' : `${mode} · `}${model}${count}`;
  return bothEnds(hint, right, cols, wording.footerCut);
}
