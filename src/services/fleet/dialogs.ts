import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { Dialog, DialogOption, DialogRule } from '../../ports/agent-adapter.ts';
import { deriveActivity } from './activity.ts';
import type { FleetContext } from './context.ts';
import { hasConversationFile } from './conversations.ts';
import { type Observation, observeSession } from './observe.ts';
import type { HeldOperation } from './operations.ts';

const REDRAW_GAP_MS = 80;
/** How long the effect of a key may take to show. */
const REDRAW_TIMEOUT_MS = 3_000;
/** How long a dialog that a hook or the state file told of may take to be drawn. Milliseconds. */
const DRAW_TIMEOUT_MS = 5_000;
/** Keys that tmux refused, because something had moved, are tried again this often. */
const MAX_REFUSALS = 5;

/**
 * Picks the option that `choice` means: `yes`, `no`, or the option's own text or the beginning of it.
 * Never by position; `yes` is never an option that merely begins with it.
 */
export function chooseOption(dialog: Dialog, choice: string): DialogOption | undefined {
  const wanted = choice.trim().toLowerCase();
  if (wanted === '') return undefined;
  const isWord = wanted === 'yes' || wanted === 'no';
  const words = isWord ? dialog.rule[wanted] : undefined;
  if (words) return dialog.options.find(({ label }) => words.test(label));
  const labels = dialog.options.map(({ label }) => label.trim().toLowerCase());
  const exact = labels.indexOf(wanted);
  if (exact >= 0) return dialog.options[exact];
  if (isWord) return undefined;
  const beginning = dialog.options.filter((_, i) => labels[i]?.startsWith(wanted));
  return beginning.length === 1 ? beginning[0] : undefined;
}

/**
 * Answers the dialog on the screen: presses the option's own key, where it has one, else moves the mark
 * until it stands on the wanted option, looking before each key, then confirms once. Keys are pressed only
 * while the screen is the one last seen.
 *
 * @throws {MamError} `answer.no-dialog`, `answer.no-such-option`, `answer.unproven`: the key was pressed
 *   and nothing shows that it was taken. It is not pressed again: the same question may be open anew.
 */
export async function answerDialog(
  context: FleetContext,
  operation: HeldOperation,
  session: Session,
  choice: string,
): Promise<DialogOption> {
  let seen = await lookUntilDialog(context, session);
  const first = seen.reading?.dialog;
  if (!first) throw noDialog(session.name);
  const wanted = chooseOption(first, choice);
  if (!wanted) throw noSuchOption(session.name, first, choice);
  if (first.rule.afterConversation) await awaitConversation(context, session);
  const { dialogSettleMs } = context.adapters.get(session.agent).card;
  if (dialogSettleMs > 0) {
    await context.clock.sleep(dialogSettleMs, context.signal);
    seen = await lookUntilStill(context, session);
  }
  for (let keys = first.options.length + MAX_REFUSALS; keys > 0; keys--) {
    const dialog = seen.reading?.dialog;
    if (!dialog || !seen.pane) throw noDialog(session.name);
    if (!isSameQuestion(first, dialog)) throw anotherDialog(session.name, first, dialog);
    const key = wanted.key ?? keyTowards(dialog, wanted);
    const takesIt = key === 'Enter' || wanted.key !== undefined;
    const result = await context.multiplexer.press({
      paneId: seen.pane.paneId,
      launchId: session.launch,
      key,
      mark: takeNumber(operation, session) * 10 + 1,
      cursor: seen.pane.cursor,
    });
    if (result === 'done') {
      const before = seen;
      const hasMoved = takesIt ? wasTaken : hasMovedMark;
      const moved = await lookUntil(context, session, (now) => hasMoved(before, now));
      if (takesIt && !moved) throw unproven(session.name, wanted, key);
      if (takesIt) return wanted;
    }
    seen = await lookUntilStill(context, session);
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

/** Another question may have taken its place, with the same words to answer it. */
export function isSameQuestion(a: Dialog, b: Dialog): boolean {
  const labels = ({ options }: Dialog) => JSON.stringify(options.map(({ label }) => label));
  const isSame = a.rule.id === b.rule.id && a.title === b.title && labels(a) === labels(b);
  return isSame && a.occurrence === b.occurrence;
}

/** An agent tells of its dialog before it has drawn it. */
async function lookUntilDialog(context: FleetContext, session: Session): Promise<Observation> {
  const deadline = context.clock.monotonicMs() + DRAW_TIMEOUT_MS;
  for (;;) {
    const seen = await lookUntilStill(context, session);
    const { state } = deriveActivity(seen, context.clock.nowMs());
    const isAnnounced = state === 'awaiting-approval' || state === 'awaiting-answer';
    const isLate = context.clock.monotonicMs() >= deadline;
    if (seen.reading?.dialog || !isAnnounced || isLate) return seen;
  }
}

/** Until this launch has its conversation's file; one that takes too long is answered all the same. */
async function awaitConversation(context: FleetContext, session: Session): Promise<void> {
  const { clock, signal } = context;
  const deadline = clock.monotonicMs() + DRAW_TIMEOUT_MS;
  while (!hasConversationFile(context, session) && clock.monotonicMs() < deadline)
    await clock.sleep(REDRAW_GAP_MS, signal);
}

/** Two looks that agree: a dialog that is half drawn, or a key under way, is not judged. */
async function lookUntilStill(context: FleetContext, session: Session): Promise<Observation> {
  let last = await observeSession(context, session);
  await lookUntil(context, session, (now) => {
    const isStill = picture(now) === picture(last) && sameCursor(now, last);
    last = now;
    return isStill;
  });
  return last;
}

/** @returns Whether it became so in the time that a key may take to show. */
async function lookUntil(
  context: FleetContext,
  session: Session,
  isSo: (now: Observation) => boolean,
): Promise<boolean> {
  const { clock, signal } = context;
  const deadline = clock.monotonicMs() + REDRAW_TIMEOUT_MS;
  for (;;) {
    await clock.sleep(REDRAW_GAP_MS, signal);
    if (isSo(await observeSession(context, session))) return true;
    if (clock.monotonicMs() >= deadline) return false;
  }
}

/** What was taken shows as another dialog or none; when the same question comes again, only a hook tells. */
function wasTaken(before: Observation, now: Observation): boolean {
  return picture(before) !== picture(now) || now.events.at(-1)?.name !== before.events.at(-1)?.name;
}

function hasMovedMark(before: Observation, now: Observation): boolean {
  const mark = ({ reading }: Observation) =>
    reading?.dialog?.options.findIndex(({ marked }) => marked);
  return mark(before) !== mark(now);
}

function sameCursor(a: Observation, b: Observation): boolean {
  return a.pane?.cursor.x === b.pane?.cursor.x && a.pane?.cursor.y === b.pane?.cursor.y;
}

function picture({ reading, agentAlive }: Observation): string {
  const options = reading?.dialog?.options.map(({ label, marked }) => `${marked}${label}`);
  const { title, occurrence } = reading?.dialog ?? {};
  return JSON.stringify([agentAlive, reading?.state, title, occurrence, options]);
}

function noDialog(name: string): MamError {
  return new MamError(
    'answer.no-dialog',
    `Session "${name}" shows no dialog that mam knows.`,
    { session: name },
    { hint: `mam capture ${name}` },
  );
}

function anotherDialog(name: string, first: Dialog, now: Dialog): MamError {
  return new MamError(
    'answer.no-dialog',
    `Session "${name}" asks something else now: ${JSON.stringify(now.title)}, not ${JSON.stringify(first.title)}. Nothing was picked.`,
    { session: name },
    { hint: `mam capture ${name}` },
  );
}

function unproven(name: string, { label }: DialogOption, key: string): MamError {
  return new MamError(
    'answer.unproven',
    `${key} was pressed for ${JSON.stringify(label)} in "${name}", and nothing shows that it was taken.`,
    { session: name, option: label },
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
