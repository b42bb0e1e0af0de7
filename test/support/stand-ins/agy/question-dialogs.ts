import type { Dialog } from './dialog.ts';
import { fullRule, wrapWords } from './layout.ts';
import type { Wording } from './wording.ts';

export interface Question {
  readonly text: string;
  readonly options: readonly string[];
  readonly several: boolean;
}

export const WRITE_IN = 'Write-in...';

/** `Which colour?|red|blue`. */
export function parseQuestion(text: string, several: boolean): Question {
  const [asked = '', ...options] = text.split('|').map((part) => part.trim());
  return {
    text: asked || 'Which one?',
    options: options.length > 0 ? options : ['The first', 'The second'],
    several,
  };
}

export function questionDialog(
  questions: readonly Question[],
  at: number,
  wording: Wording,
): Dialog {
  const question = questions[at] ?? { text: '', options: [], several: false };
  return {
    id: 'question',
    heading: (cols) => [
      ...['Question', fullRule(cols)],
      ...wrapWords(`Question ${at + 1}/${questions.length}: ${question.text}`, cols),
      '',
    ],
    options: [...question.options, WRITE_IN],
    numbered: true,
    marked: 0,
    ...(question.several ? { ticked: [] } : {}),
    hint: `  ↑/↓ Navigate · ${hintFor(question, questions.length, at, wording)}`,
    digits: true,
    footer: 'cancel',
  };
}

function hintFor({ several }: Question, count: number, at: number, wording: Wording): string {
  if (several) return `${wording.toggleHint} · enter Submit · esc Skip`;
  if (count === 1) return 'enter Select · esc Skip';
  return at === count - 1 ? '← Back · enter Submit All' : 'enter Select · → Next · esc Skip';
}

/** What the last option leads to. */
export function wordsDialog(question: Question, at: number, count: number): Dialog {
  return {
    id: 'words',
    heading: (cols) => [
      ...['Question', fullRule(cols)],
      ...wrapWords(`Question ${at + 1}/${count}: ${question.text}`, cols),
      ...['', 'Your answer:'],
    ],
    options: [],
    numbered: false,
    marked: 0,
    words: '',
    hint: '  enter Submit · esc Back',
    digits: false,
    footer: 'cancel',
  };
}
