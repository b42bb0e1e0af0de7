import type { InputEvent } from '../../../../src/demo-agent/input-parser.ts';

/** A question that takes the box's place. */
export interface Dialog {
  readonly id:
    | 'command'
    | 'file'
    | 'access'
    | 'question'
    | 'words'
    | 'trust'
    | 'login'
    | 'theme'
    | 'terms';
  /** Everything above the options, for a pane of this width. */
  heading(cols: number): readonly string[];
  readonly options: readonly string[];
  readonly numbered: boolean;
  readonly marked: number;
  /** Indexes that are ticked, where several may be; the last option is never one of them. */
  readonly ticked?: readonly number[];
  /** What was typed, where an answer in words is asked for. */
  readonly words?: string;
  readonly hint: string;
  /** Digits pick at once. */
  readonly digits: boolean;
  readonly footer: 'cancel' | 'blank' | 'none';
}

export type Step =
  | { readonly kind: 'changed'; readonly dialog: Dialog }
  | { readonly kind: 'picked'; readonly index: number; readonly dialog: Dialog }
  | { readonly kind: 'next' | 'back' | 'cancelled' };

/** What a key does to an open dialog. A paste is swallowed without effect, and so is any other key. */
export function stepDialog(dialog: Dialog, event: InputEvent): Step | undefined {
  if (dialog.id === 'words') return stepWords(dialog, event);
  const count = dialog.options.length;
  const move = (by: number): Step => ({
    kind: 'changed',
    dialog: { ...dialog, marked: (dialog.marked + count + by) % count },
  });
  switch (event.kind) {
    case 'up':
      return move(-1);
    case 'down':
      return move(1);
    case 'right':
      return { kind: 'next' };
    case 'left':
      return { kind: 'back' };
    case 'enter':
      return { kind: 'picked', index: dialog.marked, dialog };
    case 'escape':
    case 'interrupt':
      return { kind: 'cancelled' };
    case 'text':
      return stepText(dialog, event.text);
    default:
      return undefined;
  }
}

function stepText(dialog: Dialog, text: string): Step | undefined {
  const { ticked, marked, options } = dialog;
  if (ticked && (text === ' ' || text === 'x')) {
    const has = ticked.includes(marked);
    const next = has ? ticked.filter((each) => each !== marked) : [...ticked, marked].sort();
    return { kind: 'changed', dialog: { ...dialog, ticked: next } };
  }
  const index = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  if (!dialog.digits || ticked || index < 0 || index >= options.length) return undefined;
  return { kind: 'picked', index, dialog };
}

function stepWords(dialog: Dialog, event: InputEvent): Step | undefined {
  const { words = '' } = dialog;
  switch (event.kind) {
    case 'text':
      return { kind: 'changed', dialog: { ...dialog, words: words + event.text } };
    case 'backspace':
      return { kind: 'changed', dialog: { ...dialog, words: words.slice(0, -1) } };
    case 'enter':
      return { kind: 'picked', index: 0, dialog };
    case 'escape':
      return { kind: 'back' };
    case 'interrupt':
      return { kind: 'cancelled' };
    default:
      return undefined;
  }
}
