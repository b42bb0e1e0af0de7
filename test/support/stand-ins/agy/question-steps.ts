import {
  parseQuestion,
  type Question,
  questionDialog,
  WRITE_IN,
  wordsDialog,
} from './question-dialogs.ts';
import type { StepWord } from './steps.ts';
import { planner, toolResult } from './transcript-records.ts';
import { GOES_ON, type Outcome, resultType, type TurnContext } from './turn-context.ts';

/** `Which?|red|blue`; of `ask2` the second follows a `/`. No hook tells that it waits. */
export async function askQuestions(
  word: StepWord,
  rest: string,
  turn: TurnContext,
): Promise<Outcome> {
  const texts = word === 'ask2' ? rest.split('/') : [rest];
  const questions = texts.map((text) => parseQuestion(text, word === 'askmulti'));
  const call = { name: 'ask_question', args: { questions: questions.map(({ text }) => text) } };
  await turn.hooks.askBeforeTool(turn.conversation, 0, call);
  // It does not ask when permissions are skipped.
  const answers = turn.skipsPermissions ? ['(skipped)'] : await askAll(questions, turn);
  if (answers === undefined) return { kind: 'interrupted' };
  await turn.hooks.fire('PostToolUse', turn.conversation, {
    stepIdx: 0,
    toolCall: call,
    error: '',
  });
  const type = resultType(turn.knobs, 'ASK_QUESTION');
  const said = answers.join(', ');
  turn.conversation.add((step, now) => planner(step, now, { toolCalls: [call] }));
  turn.conversation.add((step, now) => toolResult(step, type, now, `${said}\n`));
  turn.defaultAnswer = `you said: ${said}`;
  return GOES_ON;
}

/** One page after the other, and back. @returns `undefined` when the user interrupts. */
async function askAll(
  questions: readonly Question[],
  turn: TurnContext,
): Promise<readonly string[] | undefined> {
  const answers: string[] = questions.map(() => '(skipped)');
  for (let at = 0; at < questions.length; ) {
    const question = questions[at];
    if (question === undefined) break;
    const dialog = questionDialog(questions, at, turn.ui.wording);
    const step = await turn.ui.ask(dialog, turn.signal);
    if (turn.signal.aborted) return undefined;
    if (step.kind === 'cancelled') return answers;
    if (step.kind === 'back') at = Math.max(0, at - 1);
    else if (step.kind === 'next') at = Math.min(questions.length - 1, at + 1);
    else if (step.kind === 'picked') {
      const picked = await answerOf(question, step.dialog, step.index, at, questions.length, turn);
      if (picked === undefined) continue;
      answers[at] = picked;
      at++;
    }
  }
  return answers;
}

/** @returns `undefined` when the answer in words was given up. */
async function answerOf(
  question: Question,
  dialog: { readonly ticked?: readonly number[]; readonly options: readonly string[] },
  index: number,
  at: number,
  count: number,
  turn: TurnContext,
): Promise<string | undefined> {
  if (dialog.options[index] === WRITE_IN) {
    const step = await turn.ui.ask(wordsDialog(question, at, count), turn.signal);
    return step.kind === 'picked' ? (step.dialog.words ?? '') : undefined;
  }
  if (!dialog.ticked) return dialog.options[index] ?? '';
  return dialog.ticked.map((each) => dialog.options[each] ?? '').join(' + ') || '(nothing)';
}
