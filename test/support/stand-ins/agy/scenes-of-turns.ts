import {
  type Act,
  drafted,
  EMPTY,
  IDLE,
  prompt,
  READY,
  type Scene,
  UNKNOWN_ID,
  wrapped,
} from './scenes.ts';

const idle = () => IDLE;
const LONG = 'A draft that goes on and on, so that it needs more than one row of the box. '.repeat(
  4,
);
const MANY_LINES = Array.from({ length: 41 }, (_, i) => `line ${i + 1}`).join('\n');
const QUOTED_DIALOG = `say Run this command?
> 1. Yes, run command
  2. No, cancel

  ↑/↓ Navigate · tab Amend
esc to cancel`;
const QUOTED_BOX = `say ${'─'.repeat(140)}
>
${'─'.repeat(140)}
⣻  Generating...
? for shortcuts`;
const QUOTED_LIMIT = 'say ⚠ Quota\n⎿  Individual quota reached';
const then = (...keys: string[]): Act => ({ keys });
const see = (see: RegExp): Act => ({ see });
const box =
  (text: string, state = 'idle') =>
  () => ({ state, composer: drafted(text) });

/** The box, and what stands directly above and below it. */
export const scenesOfTurns: readonly Scene[] = [
  { name: 'fresh', spread: 'core', acts: [READY], expected: idle },
  {
    name: 'answered',
    spread: 'core',
    acts: [...prompt('say All of it is done.'), see(/^ {2}All of it/m), READY],
    expected: idle,
  },
  {
    name: 'draft',
    spread: 'wording',
    acts: [READY, { paste: 'fix the tests' }, see(/> fix the tests/)],
    expected: box('fix the tests'),
  },
  {
    name: 'draft-wrapped',
    spread: 'core',
    acts: [READY, { paste: LONG.trim() }, see(/> A draft/)],
    expected: ({ cols }) => ({ state: 'idle', composer: wrapped(LONG.trim(), cols) }),
  },
  {
    name: 'draft-lines',
    spread: 'one',
    acts: [READY, { paste: 'one\n\n  two\nthree' }, see(/three/)],
    expected: box('one\n\n  two\nthree'),
  },
  {
    name: 'draft-folded-lines',
    spread: 'core',
    acts: [READY, { paste: MANY_LINES }, see(/Pasted text/)],
    expected: box('[Pasted text #1 +40 lines]'),
  },
  {
    name: 'draft-folded-chars',
    spread: 'one',
    acts: [READY, { paste: 'x'.repeat(1_499) }, see(/Pasted text/)],
    expected: box('[Pasted text #1 1499 chars]'),
  },
  {
    name: 'draft-pasted-bang',
    spread: 'one',
    acts: [READY, { paste: '!ls' }, see(/> !ls/)],
    expected: box('!ls'),
  },
  {
    name: 'bash-mode',
    spread: 'wording',
    acts: [READY, then('!'), see(/activated bash mode/)],
    expected: () => ({ state: 'idle', composer: { text: '', empty: false, mode: 'shell' } }),
  },
  {
    name: 'bash-mode-draft',
    spread: 'one',
    acts: [READY, then('!'), see(/activated bash mode/), then('l', 's'), see(/! ls/)],
    expected: () => ({ state: 'idle', composer: drafted('ls', 'shell') }),
  },
  {
    name: 'working',
    spread: 'core',
    acts: [...prompt('slow 30'), see(/Generating\.\.\./)],
    expected: () => ({ state: 'working', composer: EMPTY }),
  },
  {
    name: 'working-tip',
    spread: 'one',
    acts: [...prompt('slow 30'), see(/└ Tip:/)],
    expected: () => ({ state: 'working', composer: EMPTY }),
  },
  {
    name: 'working-draft',
    spread: 'one',
    acts: [...prompt('slow 30'), see(/Generating/), { paste: 'and' }, see(/> and/)],
    expected: box('and', 'working'),
  },
  {
    name: 'working-queued',
    spread: 'wording',
    acts: [
      ...prompt('slow 30'),
      ...[see(/Generating/), { paste: 'and then this' }, see(/> and then/), then('Enter')],
      see(/Press up to edit/),
    ],
    expected: () => ({ state: 'working', composer: EMPTY }),
  },
  {
    name: 'working-command',
    spread: 'one',
    args: ['--dangerously-skip-permissions'],
    acts: [...prompt('run sleep 30'), see(/Running command/)],
    expected: () => ({ state: 'working', composer: EMPTY }),
  },
  {
    name: 'background',
    spread: 'core',
    acts: [...prompt('bg sleep 60'), see(/started in the background/), READY],
    expected: () => ({ state: 'working', detail: 'background', composer: EMPTY }),
  },
  {
    name: 'background-draft',
    spread: 'one',
    acts: [...prompt('bg sleep 60'), READY, { paste: 'more' }, see(/> more/)],
    expected: () => ({ state: 'working', detail: 'background', composer: drafted('more') }),
  },
  {
    name: 'interrupted',
    spread: 'core',
    acts: [...prompt('slow 30'), see(/Generating/), then('Escape'), see(/Interrupted · What/)],
    expected: idle,
  },
  {
    name: 'interrupted-queued',
    spread: 'one',
    acts: [
      ...prompt('slow 30'),
      ...[see(/Generating/), { paste: 'wait' }, see(/> wait/), then('Enter'), see(/▸ wait/)],
      ...[then('Escape'), see(/Interrupted · What/), see(/> wait/)],
    ],
    expected: box('wait'),
  },
  {
    name: 'declined',
    spread: 'wording',
    acts: [...prompt('run ls'), see(/1\. Yes/), then('4'), see(/User declined/), READY],
    expected: idle,
  },
  {
    name: 'eligibility',
    spread: 'one',
    acts: [...prompt('fail'), see(/⚠ Eligibility Check/), READY],
    expected: idle,
  },
  {
    name: 'quota',
    spread: 'wording',
    acts: [...prompt('quota'), see(/Individual quota reached/), READY],
    expected: () => ({ state: 'limited', detail: 'limit', composer: EMPTY }),
  },
  {
    name: 'quota-asked-again',
    spread: 'one',
    acts: [
      ...prompt('quota'),
      see(/Individual quota/),
      ...prompt('say hi'),
      see(/^ {2}hi$/m),
      READY,
    ],
    expected: idle,
  },
  {
    name: 'plan-waits',
    spread: 'wording',
    acts: [...prompt('plan'), see(/1 artifact · \/artifact to review/), READY],
    expected: idle,
  },
  {
    name: 'plan-waits-working',
    spread: 'one',
    acts: [...prompt('plan'), see(/1 artifact/), ...prompt('slow 30'), see(/Generating/)],
    expected: () => ({ state: 'working', composer: EMPTY }),
  },
  {
    name: 'survey',
    spread: 'core',
    knobs: { SURVEY: '1' },
    acts: [...prompt('say hi'), see(/\[0\] Skip/), READY],
    expected: () => ({ ...IDLE, dismissKey: '0' }),
  },
  {
    name: 'survey-instead',
    spread: 'wording',
    knobs: { SURVEY: 'instead' },
    acts: [...prompt('say hi'), see(/\[0\] Skip/), READY],
    expected: () => ({ state: 'idle', dismissKey: '0' }),
  },
  {
    name: 'exit-armed',
    spread: 'one',
    acts: [READY, then('C-c'), see(/press ctrl\+c again to exit/)],
    expected: idle,
  },
  {
    name: 'exited',
    spread: 'one',
    acts: [
      ...prompt('say bye'),
      see(/^ {2}bye$/m),
      READY,
      then('C-d', 'C-d'),
      see(/Resume with -c/),
    ],
    expected: () => ({ state: 'exited' }),
  },
  {
    name: 'not-found',
    spread: 'wording',
    args: ['--conversation', UNKNOWN_ID],
    acts: [READY],
    expected: () => ({ ...IDLE, notFound: UNKNOWN_ID }),
  },
  {
    name: 'plan-mode',
    spread: 'one',
    acts: [READY, then('BTab', 'BTab'), see(/ plan · Gemini/)],
    expected: idle,
  },
  {
    name: 'quoted-dialog',
    spread: 'one',
    acts: [...prompt(QUOTED_DIALOG), see(/^ {2}Run this command\?/m), READY],
    expected: idle,
  },
  {
    name: 'quoted-box',
    spread: 'one',
    acts: [...prompt(QUOTED_BOX), see(/^ {2}⣻ {2}Generating/m), READY],
    expected: idle,
  },
  {
    name: 'quoted-limit',
    spread: 'one',
    acts: [...prompt(QUOTED_LIMIT), see(/^ {2}⚠ Quota/m), READY],
    expected: idle,
  },
];
