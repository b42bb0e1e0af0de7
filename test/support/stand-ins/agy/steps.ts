/** What the scripted model does in a turn, in the words of a prompt or of a script file. */
export interface Step {
  readonly word: StepWord;
  readonly rest: string;
}

const WORDS = [
  'say',
  'run',
  'twin',
  'write',
  'edit',
  'read',
  'ask',
  'ask2',
  'askmulti',
  'plan',
  'bg',
  'slow',
  'fail',
  'quota',
  'crash',
  'subagent',
] as const;

export type StepWord = (typeof WORDS)[number];

/** Between the steps of one prompt. */
const NEXT = /\s*;;\s*/;

/** `run ls ;; say done`; a text that begins with none of the words is answered by its echo. */
export function parseSteps(text: string): readonly Step[] {
  return text.split(NEXT).flatMap((part) => parseStep(part) ?? []);
}

function parseStep(part: string): Step | undefined {
  const [, first = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(part) ?? [];
  const word = WORDS.find((each) => each === first);
  return word && { word, rest: rest.trimEnd() };
}

/** Turns of a script file, used up one for each prompt; then prompts speak for themselves. */
export class Script {
  readonly #turns: (readonly string[])[];

  constructor(text: string | undefined) {
    const turns: unknown = text === undefined ? [] : JSON.parse(text);
    this.#turns = Array.isArray(turns) ? turns : [];
  }

  stepsFor(prompt: string): readonly Step[] {
    const turn = this.#turns.shift();
    return turn ? turn.flatMap(parseSteps) : parseSteps(prompt);
  }
}
