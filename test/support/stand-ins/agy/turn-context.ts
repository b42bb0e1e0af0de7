import type { Conversation, ConversationPlace } from './conversation.ts';
import type { HookRunner } from './hook-runner.ts';
import type { Knobs } from './knobs.ts';
import type { Settings } from './settings.ts';
import type { Ui } from './ui.ts';

/** What a turn works with. */
export interface TurnContext {
  readonly ui: Ui;
  readonly conversation: Conversation;
  readonly place: ConversationPlace;
  readonly hooks: HookRunner;
  readonly settings: Settings;
  readonly knobs: Knobs;
  readonly cwd: string;
  /** Folders that are not outside. */
  readonly workspaces: readonly string[];
  readonly skipsPermissions: boolean;
  /** What was allowed for this conversation. */
  readonly allowedHere: Set<string>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Said at the end when the script says nothing. */
  defaultAnswer: string | undefined;
  /** Notes that something runs on after the turn, and what it says when it ends. */
  taskStarted(pid: number, command: string, ended: Promise<unknown>): void;
}

/** How one step, and so the turn, ended. */
export type Outcome =
  | { readonly kind: 'goes-on' }
  /** A tool was declined, or the user pressed Esc: no hook tells. */
  | { readonly kind: 'declined' | 'interrupted' }
  | { readonly kind: 'failed'; readonly title: string; readonly text: string };

export const GOES_ON: Outcome = { kind: 'goes-on' };

/** The type of a tool's result in the transcript. */
export function resultType({ version }: Knobs, own: string): string {
  return version.minor >= 1 ? 'GENERIC' : own;
}
