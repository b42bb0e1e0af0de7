import type { InputEvent } from './input-parser.ts';

/** A question that takes the composer's place. */
export interface Dialog {
  /** Rows above the options. */
  readonly heading: readonly string[];
  readonly options: readonly string[];
  readonly numbered: boolean;
  readonly hint: string;
  /** Index of the option that Enter takes. */
  readonly marked: number;
}

export type DialogStep =
  | { readonly kind: 'moved'; readonly marked: number }
  | { readonly kind: 'picked'; readonly index: number }
  | { readonly kind: 'cancelled' };

/**
 * What a key does to an open dialog. As in real agents, a digit picks at once, even in the middle of
 * typed or pasted text that was meant for the composer.
 */
export function stepDialog(dialog: Dialog, event: InputEvent): DialogStep | undefined {
  const count = dialog.options.length;
  switch (event.kind) {
    case 'up':
      return count > 0 ? { kind: 'moved', marked: (dialog.marked + count - 1) % count } : undefined;
    case 'down':
      return count > 0 ? { kind: 'moved', marked: (dialog.marked + 1) % count } : undefined;
    case 'enter':
      return count > 0 ? { kind: 'picked', index: dialog.marked } : undefined;
    case 'escape':
    case 'interrupt':
      return { kind: 'cancelled' };
    case 'text':
    case 'paste':
      return pickByDigit(event.text, count);
    default:
      return undefined;
  }
}

function pickByDigit(text: string, count: number): DialogStep | undefined {
  const digit = [...text.matchAll(/[1-9]/g)].map(Number).find((each) => each <= count);
  return digit === undefined ? undefined : { kind: 'picked', index: digit - 1 };
}

const NUMBERED = { numbered: true, marked: 0 } as const;

export function permissionDialog(command: string): Dialog {
  return {
    ...NUMBERED,
    heading: ['Bash command', '', `  ${command}`, '', 'Do you want to proceed?'],
    options: ['Yes', `Yes, and always allow ${command}`, 'No'],
    hint: 'Esc to cancel',
  };
}

export function questionDialog(question: string, options: readonly string[]): Dialog {
  return {
    ...NUMBERED,
    heading: ['Question', '', question],
    options,
    hint: 'Enter to select · ↑/↓ to navigate · Esc to cancel',
  };
}

export const TRUST_YES = 'Yes, I trust this folder';

/** @param yesFirst - The order of an older version: numbered, yes before no. */
export function trustDialog(cwd: string, yesFirst: boolean): Dialog {
  return {
    heading: [
      'Accessing workspace:',
      '',
      cwd,
      '',
      'Quick safety check: Is this a project you created or one you trust?',
      '',
    ],
    options: yesFirst ? [TRUST_YES, 'No, exit'] : ['No, exit', TRUST_YES],
    numbered: yesFirst,
    marked: 0,
    hint: 'Enter to confirm · Esc to cancel',
  };
}

export function loginDialog(): Dialog {
  return {
    heading: ['Not signed in'],
    options: [],
    numbered: false,
    marked: 0,
    hint: 'Press Enter to open the browser',
  };
}
