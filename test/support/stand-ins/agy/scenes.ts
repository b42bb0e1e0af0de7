import { wrapText } from '../../../../src/demo-agent/wrap.ts';

/** What a person does at the terminal, and what is waited for. */
export type Act =
  | { readonly paste: string }
  | { readonly keys: readonly string[] }
  /** Until the screen has it. */
  | { readonly see: RegExp };

export interface Expected {
  readonly state: string;
  readonly detail?: string;
  readonly dismissKey?: string;
  readonly notFound?: string;
  readonly dialog?: {
    readonly rule: string;
    readonly title: string;
    readonly options: readonly { readonly label: string; readonly marked: boolean }[];
  };
  readonly composer?: { readonly text: string; readonly empty: boolean; readonly mode: string };
}

/** One screen of the program: how it comes about, and what it means. Written by hand, not by the adapter. */
export interface Scene {
  readonly name: string;
  /** `core`: at all widths and in all versions; `wording`: in all versions; `one`: in the newest. */
  readonly spread: 'core' | 'wording' | 'one';
  readonly knobs?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The folder is not trusted yet, or the first run's questions are not answered. */
  readonly start?: 'untrusted' | 'first-run';
  readonly acts: readonly Act[];
  expected(at: { readonly cols: number; readonly minor: number }): Expected;
}

export const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
export const EMPTY = { text: '', empty: true, mode: 'prompt' };
export const IDLE: Expected = { state: 'idle', composer: EMPTY };
export const READY: Act = { see: /\? for shortcuts/ };

export const drafted = (text: string, mode = 'prompt') => ({ text, empty: false, mode });

/** The draft as the box wraps it; a terminal's rows have no blanks at their ends. */
export function wrapped(text: string, cols: number) {
  const rows = wrapText(text, cols - 3).map((row) => row.trimEnd());
  return drafted(rows.join('\n'));
}

/** Pastes and enters, once the box is there. */
export function prompt(text: string): readonly Act[] {
  const [line = ''] = text.split('\n');
  const shown = new RegExp(line.slice(0, 20).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return [READY, { paste: text }, { see: shown }, { keys: ['Enter'] }];
}

/** Options, the first marked unless told otherwise. */
export function options(labels: readonly string[], marked = 0) {
  return labels.map((label, i) => ({ label, marked: i === marked }));
}
