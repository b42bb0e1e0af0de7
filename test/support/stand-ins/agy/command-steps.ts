import { type ChildProcess, spawn } from 'node:child_process';
import { toolEnvironment } from './hook-runner.ts';
import type { Item } from './items.ts';
import { commandDialog } from './permission-dialogs.ts';
import {
  planner,
  type StepRecord,
  type ToolCall,
  toolDenied,
  toolResult,
} from './transcript-records.ts';
import { GOES_ON, type Outcome, resultType, type TurnContext } from './turn-context.ts';

const DECLINED = 'User declined the tool call';

/** One command: hook, permission, the run itself. Its lines are written once that is decided. */
export async function runCommand(command: string, turn: TurnContext): Promise<Outcome> {
  const tool = (isQueued: boolean, result?: string): Item => ({
    kind: 'tool',
    tool: { kind: 'command', target: command, count: 1 },
    isQueued,
    ...(result === undefined ? {} : { result }),
  });
  const change = turn.ui.show(tool(true));
  const call = callOf(command, turn);
  const start = turn.conversation.nextStep();
  const planned = () => turn.conversation.write(planner(start, new Date(), { toolCalls: [call] }));
  const result = await decideAndRun(call, command, turn);
  change(tool(false, result.kind === 'denied' ? result.text : undefined));
  if (result.kind === 'interrupted') return result;
  planned();
  turn.conversation.write(result.record(turn.conversation.nextStep()));
  if (result.kind === 'declined') turn.ui.show({ kind: 'result', text: DECLINED });
  if (result.kind === 'declined') return { kind: 'declined' };
  turn.defaultAnswer = `done: ${command}`;
  return GOES_ON;
}

/**
 * Two equal commands in one step: they ask one after the other in the same words, and their results are
 * written the wrong way round.
 */
export async function runTwice(command: string, turn: TurnContext): Promise<Outcome> {
  const isNew = turn.knobs.version.minor >= 3;
  const tool = (isQueued: boolean, count = 1): Item => ({
    kind: 'tool',
    tool: { kind: 'command', target: command, count },
    isQueued,
  });
  const changes = (isNew ? [tool(true)] : [tool(true), tool(true)]).map((item) =>
    turn.ui.show(item),
  );
  const call = callOf(command, turn);
  const start = turn.conversation.nextStep();
  const records: StepRecord[] = [];
  for (const at of [0, 1]) {
    const result = await decideAndRun(call, command, turn);
    if (isNew) changes[0]?.(tool(false, at + 1));
    else changes[at]?.(tool(false));
    if (result.kind === 'interrupted') return result;
    records.push(result.record(turn.conversation.nextStep()));
    if (result.kind === 'declined') turn.ui.show({ kind: 'result', text: DECLINED });
    if (result.kind === 'declined') return { kind: 'declined' };
    // The second asks only once the first has said what it did.
    if (isNew && at === 0) changes[0]?.(tool(false, 2));
  }
  const planned = planner(start, new Date(), { toolCalls: [call, call] });
  for (const record of [planned, ...records.toReversed()]) turn.conversation.write(record);
  turn.defaultAnswer = `done twice: ${command}`;
  return GOES_ON;
}

type Decided =
  | { readonly kind: 'ran' | 'declined'; record(step: number): StepRecord }
  | { readonly kind: 'denied'; readonly text: string; record(step: number): StepRecord }
  | { readonly kind: 'interrupted' };

async function decideAndRun(call: ToolCall, command: string, turn: TurnContext): Promise<Decided> {
  const type = resultType(turn.knobs, 'RUN_COMMAND');
  const verdict = await turn.hooks.askBeforeTool(turn.conversation, 0, call);
  if (verdict.kind === 'deny') {
    const text = `tool call denied by pre-tool hook: ${verdict.reason}`;
    return { kind: 'denied', text, record: (step) => toolResult(step, type, new Date(), text) };
  }
  const permission = await askPermission(command, turn);
  if (permission === 'interrupted') return { kind: 'interrupted' };
  if (permission === 'declined')
    return { kind: 'declined', record: (step) => toolDenied(step, type, new Date(), command) };
  turn.ui.setBusy('Running command');
  const status = await endOf(spawnTool(command, turn), turn.signal);
  if (status === undefined) return { kind: 'interrupted' };
  await turn.hooks.fire('PostToolUse', turn.conversation, {
    stepIdx: 0,
    toolCall: call,
    error: '',
  });
  const output = `The command exited with code ${status}.\nOutput:\n\n`;
  return { kind: 'ran', record: (step) => toolResult(step, type, new Date(), output) };
}

async function askPermission(command: string, turn: TurnContext) {
  const rule = `command(${command.split(' ')[0]})`;
  const { skipsPermissions, allowedHere, settings, ui } = turn;
  if (skipsPermissions || allowedHere.has(rule) || settings.allows(rule)) return 'allowed';
  const step = await ui.ask(commandDialog(command, ui.wording), turn.signal);
  if (step.kind !== 'picked') return 'interrupted';
  if (step.index === 1) allowedHere.add(rule);
  if (step.index === 2) settings.allow(rule);
  return step.index === 3 ? 'declined' : 'allowed';
}

/** In a session of its own: it outlives the program, and its terminal. */
function spawnTool(command: string, { cwd, conversation, knobs }: TurnContext): ChildProcess {
  const env = { ...process.env, ...toolEnvironment(conversation, knobs.version) };
  return spawn('sh', ['-c', command], { cwd, env, stdio: 'ignore', detached: true });
}

/** Its exit code; undefined when the user interrupts: then it is ended. */
function endOf(child: ChildProcess, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    child.on('error', () => resolve(127));
    child.on('exit', (code) => resolve(signal.aborted ? undefined : (code ?? 137)));
  });
}

/** Runs on when the turn is over; its end begins a turn by itself. */
export async function startTask(command: string, turn: TurnContext): Promise<Outcome> {
  const child = spawnTool(command, turn);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  turn.taskStarted(child.pid ?? 0, command, ended);
  turn.defaultAnswer = `started in the background: ${command}`;
  return GOES_ON;
}

function callOf(command: string, { cwd }: TurnContext): ToolCall {
  const args = { CommandLine: command, Cwd: cwd, WaitMsBeforeAsync: 1000 };
  return { name: 'run_command', args };
}
