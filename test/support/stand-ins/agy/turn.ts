import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '../../../../src/base/assert-never.ts';
import { runCommand, runTwice, startTask } from './command-steps.ts';
import { Conversation } from './conversation.ts';
import { changeFile, readFile, writePlan } from './file-steps.ts';
import { askQuestions } from './question-steps.ts';
import type { Step } from './steps.ts';
import { planner } from './transcript-records.ts';
import { GOES_ON, type Outcome, type TurnContext } from './turn-context.ts';

/** What becomes of one prompt. The caller has shown it and written it down. */
export async function runTurn(
  prompt: string,
  steps: readonly Step[],
  turn: TurnContext,
): Promise<Outcome> {
  let answer: string | undefined;
  turn.ui.setBusy('Generating');
  if (!(await pause(turn.knobs.thinkMs, turn.signal))) return { kind: 'interrupted' };
  for (const step of steps) {
    turn.ui.setBusy('Generating');
    if (step.word === 'say') answer = step.rest;
    const outcome = await runStep(step, turn);
    if (outcome.kind !== 'goes-on') return outcome;
    if (turn.signal.aborted) return { kind: 'interrupted' };
  }
  const text = answer ?? turn.defaultAnswer ?? `echo: ${prompt}`;
  turn.conversation.add((at, now) => planner(at, now, { content: text }));
  turn.ui.show({ kind: 'answer', text });
  return GOES_ON;
}

async function runStep({ word, rest }: Step, turn: TurnContext): Promise<Outcome> {
  switch (word) {
    case 'say':
      return GOES_ON;
    case 'run':
      return runCommand(rest, turn);
    case 'twin':
      return runTwice(rest, turn);
    case 'bg':
      return startTask(rest, turn);
    case 'write':
      return changeFile(rest, true, turn);
    case 'edit':
      return changeFile(rest, false, turn);
    case 'read':
      return readFile(rest, turn);
    case 'plan':
      return writePlan(turn);
    case 'ask':
    case 'ask2':
    case 'askmulti':
      return askQuestions(word, rest, turn);
    case 'slow':
      return think(Number(rest || 1), turn);
    case 'fail':
      return {
        kind: 'failed',
        title: 'Eligibility Check',
        text: 'Eligibility check failed: Post "https://example.invalid/loadCodeAssist": connection refused',
      };
    case 'quota':
      return { kind: 'failed', title: 'Quota', text: 'Individual quota reached' };
    case 'crash':
      return process.exit(2);
    case 'subagent':
      return startSubagent(rest, turn);
    default:
      return assertNever(word);
  }
}

async function think(seconds: number, { ui, signal }: TurnContext): Promise<Outcome> {
  if (await pause(seconds * 1000, signal))
    ui.show({ kind: 'thought', seconds: Math.ceil(seconds), title: 'Weighing the options' });
  return GOES_ON;
}

/** A conversation of its own, in files beside the parent's. */
async function startSubagent(task: string, turn: TurnContext): Promise<Outcome> {
  const child = new Conversation(turn.place);
  await child.addPrompt(task);
  child.add((at, now) => planner(at, now, { content: `subagent: ${task}` }));
  child.close();
  turn.defaultAnswer = 'The subagent is done.';
  return GOES_ON;
}

/** @returns Whether nobody interrupted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
