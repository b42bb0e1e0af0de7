import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Dialog } from './dialog.ts';
import { accessDialog, fileDialog } from './permission-dialogs.ts';
import { planner, toolDenied, toolResult } from './transcript-records.ts';
import { GOES_ON, type Outcome, resultType, type TurnContext } from './turn-context.ts';

const OUTSIDE = 'outside';

/** `notes.txt some words`: asks, then writes the words. */
export async function changeFile(
  rest: string,
  isNew: boolean,
  turn: TurnContext,
): Promise<Outcome> {
  const [name = 'file.txt', ...words] = rest.split(' ');
  const path = resolve(turn.cwd, name);
  const content = words.join(' ') || 'written';
  const isOutside = isOutsideOf(path, turn);
  const dialog = fileDialog(path, content, { isNew, isOutside });
  const tool = isNew ? 'write_to_file' : 'replace_file_content';
  return useFile(tool, path, dialog, turn, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${content}\n`);
    turn.ui.show({
      kind: 'tool',
      tool: { kind: 'write', target: path, count: 1 },
      isQueued: false,
    });
  });
}

/** Only what lies outside of the workspaces is asked for. */
export async function readFile(path: string, turn: TurnContext): Promise<Outcome> {
  const dialog = isOutsideOf(path, turn) ? accessDialog(path) : undefined;
  return useFile('view_file', path, dialog, turn, () => {
    readFileSync(path);
    turn.ui.show({ kind: 'tool', tool: { kind: 'read', target: path, count: 1 }, isQueued: false });
  });
}

async function useFile(
  name: string,
  path: string,
  dialog: Dialog | undefined,
  turn: TurnContext,
  act: () => void,
): Promise<Outcome> {
  const { conversation, hooks } = turn;
  const call = { name, args: { TargetFile: path } };
  const type = resultType(turn.knobs, 'CODE_ACTION');
  const verdict = await hooks.askBeforeTool(conversation, 0, call);
  const isAsked = dialog !== undefined && !turn.skipsPermissions && !turn.allowedHere.has(path);
  const answer = verdict.kind === 'go-on' && isAsked ? await askFor(dialog, turn) : 'allowed';
  if (answer === 'interrupted') return { kind: 'interrupted' };
  conversation.add((step, now) => planner(step, now, { toolCalls: [call] }));
  if (answer === 'declined') {
    conversation.add((step, now) => toolDenied(step, type, now, path));
    turn.ui.show({ kind: 'result', text: 'User declined the tool call' });
    return { kind: 'declined' };
  }
  if (verdict.kind === 'go-on') act();
  await hooks.fire('PostToolUse', conversation, { stepIdx: 0, toolCall: call, error: '' });
  conversation.add((step, now) => toolResult(step, type, now, `${name} ${path}\n`));
  turn.defaultAnswer = `done: ${path}`;
  return GOES_ON;
}

async function askFor(dialog: Dialog, { ui, allowedHere, signal }: TurnContext) {
  const isOutside = dialog.options.length === 3;
  if (isOutside && allowedHere.has(OUTSIDE)) return 'allowed';
  const step = await ui.ask(dialog, signal);
  if (step.kind !== 'picked') return 'interrupted';
  if (step.index === dialog.options.length - 1) return 'declined';
  if (step.index === 1) allowedHere.add(OUTSIDE);
  return 'allowed';
}

function isOutsideOf(path: string, { workspaces }: TurnContext): boolean {
  return !workspaces.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** A plan waits for a review without a dialog: one row above the box tells. */
export async function writePlan(turn: TurnContext): Promise<Outcome> {
  const name = 'implementation_plan.md';
  writeFileSync(join(turn.conversation.folder, name), '# Implementation Plan\n');
  turn.ui.artifacts = [...turn.ui.artifacts, name];
  turn.defaultAnswer = 'The plan is ready for your review.';
  return GOES_ON;
}
