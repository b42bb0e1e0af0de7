import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '../base/assert-never.ts';
import { permissionDialog, questionDialog } from './dialog.ts';
import { type Directive, parseDirectives } from './directives.ts';
import { answerTo } from './model.ts';
import { startChild } from './process-tree.ts';
import type { Session } from './session.ts';
import type { Ui } from './ui.ts';

export interface TurnContext {
  readonly ui: Ui;
  readonly session: Session;
  readonly permissions: 'skip' | 'ask';
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** What a directive makes of the turn: it goes on, the user declined, or the model failed. */
type Outcome = 'goes-on' | 'declined' | Failure;

interface Failure {
  readonly error: string;
  readonly message: string;
  /** When the limit lifts, epoch seconds. */
  readonly resetsAt?: number;
}

const LIMIT_MESSAGE = "You've hit your 5-hour limit · resets 7:18pm (UTC)";
const FAIL_MESSAGE = 'API Error: the model failed';

/** Answers one submitted prompt. An abort ends it with a note in the transcript and no hook. */
export async function runTurn(prompt: string, context: TurnContext): Promise<void> {
  const { ui, session } = context;
  const { conversation } = session;
  const earlier = conversation.prompts;
  ui.limited = false;
  ui.show('prompt', prompt);
  ui.startBusy();
  conversation.add({ type: 'user', text: prompt });
  await context.session.fire('UserPromptSubmit', { prompt });
  const directives = parseDirectives(prompt);
  const outcome = await runDirectives(directives, context);
  const seconds = ui.endBusy();
  if (outcome === 'declined' || context.signal.aborted) {
    ui.show('notice', 'Interrupted · What should the agent do instead?');
    return;
  }
  if (outcome !== 'goes-on') return fail(outcome, context);
  const answer = answerTo(prompt, earlier, directives);
  ui.show('answer', answer);
  ui.show('done', String(seconds));
  conversation.add({ type: 'assistant', text: answer });
  ui.drawNow();
  await context.session.fire('Stop', { last_assistant_message: answer });
}

async function fail(failure: Failure, { ui, session }: TurnContext): Promise<void> {
  const { error, message, resetsAt } = failure;
  ui.limited = error === 'rate_limit';
  ui.show('answer', message);
  ui.drawNow();
  if (resetsAt !== undefined) ui.limitUntil(resetsAt * 1000);
  const reset = resetsAt === undefined ? {} : { resets_at: resetsAt };
  await session.fire('StopFailure', { error, last_assistant_message: message, ...reset });
}

async function runDirectives(
  directives: readonly Directive[],
  context: TurnContext,
): Promise<Outcome> {
  for (const directive of directives) {
    if (context.signal.aborted) return 'declined';
    const outcome = await runDirective(directive, context);
    if (outcome !== 'goes-on') return outcome;
  }
  return 'goes-on';
}

async function runDirective(directive: Directive, context: TurnContext): Promise<Outcome> {
  switch (directive.kind) {
    case 'say':
      return 'goes-on';
    case 'delay':
      return pause(directive.ms, context.signal);
    case 'spin':
      return pauseForEver(context.signal);
    case 'permission':
      return askPermission(directive.command, context);
    case 'ask':
      return askQuestion(directive.question, directive.options, context);
    case 'crash':
      return process.exit(directive.status);
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return pauseForEver(context.signal);
    case 'limit': {
      const lifted = { error: 'rate_limit', message: LIMIT_MESSAGE };
      if (directive.seconds === 0) return lifted;
      return { ...lifted, resetsAt: Math.ceil(Date.now() / 1000) + directive.seconds };
    }
    case 'fail':
      return { error: 'unknown', message: FAIL_MESSAGE };
    case 'child':
      context.ui.show('notice', `child ${startChild() ?? 'not'} started`);
      return 'goes-on';
    default:
      return assertNever(directive);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<Outcome> {
  try {
    await sleep(ms, undefined, { signal });
    return 'goes-on';
  } catch {
    return 'declined';
  }
}

async function pauseForEver(signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = 'goes-on';
  while (outcome === 'goes-on') outcome = await pause(3_600_000, signal);
  return outcome;
}

async function askPermission(command: string, context: TurnContext): Promise<Outcome> {
  const call = { tool_name: 'Bash', tool_input: { command } };
  await context.session.fire('PreToolUse', call);
  if (context.permissions === 'ask') {
    await context.session.fire('PermissionRequest', call);
    const picked = await context.ui.ask(permissionDialog(command));
    if (picked === undefined || picked === 2) return 'declined';
  }
  await context.session.fire('PostToolUse', call);
  return 'goes-on';
}

/** A permission question outside of any turn of the user's. */
export async function interject(command: string, ui: Ui, session: Session): Promise<void> {
  const call = { tool_name: 'Bash', tool_input: { command } };
  await session.fire('PermissionRequest', call);
  await ui.ask(permissionDialog(command));
  await session.fire('Stop', {});
}

async function askQuestion(
  question: string,
  options: readonly string[],
  context: TurnContext,
): Promise<Outcome> {
  const call = { tool_name: 'AskUserQuestion', tool_input: { question, options } };
  await context.session.fire('PreToolUse', call);
  await context.session.fire('PermissionRequest', call);
  const picked = await context.ui.ask(questionDialog(question, options));
  if (picked === undefined) return 'declined';
  context.ui.show('notice', `${question} → ${options[picked] ?? ''}`);
  await context.session.fire('PostToolUse', call);
  return 'goes-on';
}
