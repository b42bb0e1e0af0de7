import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { Dialog, DialogOption, DialogRule } from '../../ports/agent-adapter.ts';
import type { FleetContext } from './context.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';

/** Keys pressed for one answer: moves of the mark, and the confirming Enter. */
const MAX_KEYS = 9;
const REDRAW_GAP_MS = 80;
const REDRAW_TIMEOUT_MS = 3_000;

/** Picks the option that `choice` means: `yes`, `no`, or the option's own text. Never by position. */
export function chooseOption(dialog: Dialog, choice: string): DialogOption | undefined {
  const wanted = choice.trim().toLowerCase();
  if (wanted === 'yes' || wanted === 'no') {
    const words = dialog.rule[wanted];
    return words && dialog.options.find(({ label }) => words.test(label));
  }
  const labels = dialog.options.map(({ label }) => label.trim().toLowerCase());
  const exact = labels.indexOf(wanted);
  if (exact >= 0) return dialog.options[exact];
  const beginning = labels.filter((label) => label.startsWith(wanted));
  return beginning.length === 1 ? dialog.options[labels.indexOf(beginning[0] ?? '')] : undefined;
}

/**
 * Answers the dialog on the screen: moves the mark until it stands on the wanted option, looking before
 * each key, then confirms. Keys are pressed only while the screen is the one last seen.
 *
 * @throws {MamError} `answer.no-dialog`, `answer.no-such-option`.
 */
export async function answerDialog(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  choice: string,
): Promise<DialogOption> {
  let seen = await observeSession(context, session);
  const first = seen.reading?.dialog;
  if (!first) throw noDialog(session.name);
  const wanted = chooseOption(first, choice);
  if (!wanted) throw noSuchOption(session.name, first, choice);
  const number = takeNumber(operation, session);
  for (let k = 1; k <= MAX_KEYS; k++) {
    const dialog = seen.reading?.dialog;
    if (!dialog || dialog.rule.id !== first.rule.id || !seen.pane) throw noDialog(session.name);
    const key = keyTowards(dialog, wanted);
    const result = await context.multiplexer.press({
      paneId: seen.pane.paneId,
      key,
      mark: number * 10 + k,
      cursor: seen.pane.cursor,
    });
    seen = await lookUntilChanged(context, session, seen);
    if (result === 'done' && key === 'Enter') return wanted;
  }
  throw new MamError(
    'answer.no-such-option',
    `The mark of the dialog in "${session.name}" could not be moved to "${wanted.label}".`,
    { session: session.name },
  );
}

/** Number of a new series of key presses: it only grows within a launch. */
export function takeNumber(operation: HeldOperation, session: Session): number {
  return operation.update((tx) => {
    const launch = tx.findLaunch(session.launch);
    if (!launch) throw new TypeError(`launch ${session.launch} has no row`);
    tx.putLaunch({ ...launch, lastNumber: launch.lastNumber + 1 });
    return launch.lastNumber + 1;
  });
}

/** Whether mam may answer this dialog by itself, by its rule and the session's settings. */
export function mayAnswer(rule: DialogRule, context: FleetContext, session: Session): boolean {
  switch (rule.policy) {
    case 'trust':
      return isTrustedFolder(context, session);
    case 'skip':
      return session.permissions === 'skip';
    case 'seeded':
      return true;
    case 'never':
      return false;
  }
}

/** Only for folders inside a workspace that this user made with `init`. */
function isTrustedFolder({ settings, workspace }: FleetContext, { cwd }: Session): boolean {
  const inside = cwd === workspace.root || cwd.startsWith(`${workspace.root}/`);
  return settings.create.trust === 'workspace' && workspace.isOurs && inside;
}

function keyTowards(dialog: Dialog, wanted: DialogOption): 'Enter' | 'Down' | 'Up' {
  const target = dialog.options.findIndex(({ label }) => label === wanted.label);
  const marked = dialog.options.findIndex((option) => option.marked);
  if (marked === target) return 'Enter';
  return marked < target ? 'Down' : 'Up';
}

/** A key's effect shows as another mark, another dialog or none; a key that did nothing shows nothing. */
async function lookUntilChanged(
  context: FleetContext,
  session: Session,
  before: Observation,
): Promise<Observation> {
  const { clock, signal } = context;
  const deadline = clock.monotonicMs() + REDRAW_TIMEOUT_MS;
  for (;;) {
    const seen = await observeSession(context, session);
    if (picture(seen) !== picture(before) || clock.monotonicMs() >= deadline) return seen;
    await clock.sleep(REDRAW_GAP_MS, signal);
  }
}

function picture({ reading, agentAlive }: Observation): string {
  const options = reading?.dialog?.options.map(({ label, marked }) => `${marked}${label}`);
  return JSON.stringify([agentAlive, reading?.state, reading?.dialog?.title, options]);
}

function noDialog(name: string): MamError {
  return new MamError(
    'answer.no-dialog',
    `Session "${name}" shows no dialog that mam knows.`,
    { session: name },
    { hint: `mam capture ${name}` },
  );
}

function noSuchOption(name: string, dialog: Dialog, choice: string): MamError {
  const labels = dialog.options.map(({ label }) => JSON.stringify(label)).join(', ');
  return new MamError(
    'answer.no-such-option',
    `The dialog in "${name}" has no option ${JSON.stringify(choice)}; it has ${labels}.`,
    { session: name, options: dialog.options.map(({ label }) => label) },
  );
}
