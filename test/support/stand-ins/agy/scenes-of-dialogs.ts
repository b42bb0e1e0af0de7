import { type Act, type Expected, options, prompt, READY, type Scene } from './scenes.ts';

const then = (...keys: string[]): Act => ({ keys });
const see = (see: RegExp): Act => ({ see });
const overlay = () => ({ state: 'unknown', detail: 'overlay' });

function commandOptions(minor: number, first: string): readonly string[] {
  const always = [
    `Yes, and always allow in this conversation for commands that start with '${first}'`,
    `Yes, and always allow for commands that start with '${first}' (Persist to settings.json)`,
  ];
  return minor >= 2 ? ['Yes, run command', ...always, 'No, cancel'] : ['Yes', ...always, 'No'];
}

const command =
  (first: string, marked = 0) =>
  ({ minor }: { readonly minor: number }): Expected => ({
    state: 'awaiting-approval',
    detail: 'permission',
    dialog: {
      rule: 'permission-command',
      title: minor >= 2 ? 'Run this command?' : 'Do you want to proceed?',
      options: options(commandOptions(minor, first), marked),
    },
  });

const permission = (rule: string, title: string, labels: readonly string[]) => (): Expected => ({
  state: 'awaiting-approval',
  detail: 'permission',
  dialog: { rule, title, options: options(labels) },
});

const question = (title: string, labels: readonly string[]) => (): Expected => ({
  state: 'awaiting-answer',
  detail: 'question',
  dialog: { rule: 'question', title, options: options(labels) },
});

const login = (title: string, labels: readonly string[]) => (): Expected => ({
  state: 'awaiting-answer',
  detail: 'login',
  dialog: { rule: 'login', title, options: options(labels) },
});

const trust = (marked: number) => (): Expected => ({
  state: 'awaiting-approval',
  detail: 'trust',
  dialog: {
    rule: 'trust',
    title: 'Do you trust the contents of this project?',
    options: options(['Yes, I trust this folder', 'No, exit'], marked),
  },
});

const popup = (text: string, mode: string) => (): Expected => ({
  state: 'unknown',
  composer: { text, empty: false, mode },
});

const CREATION = 'Allow creation of this file?';
const FILE = ['Yes, allow creation', 'No, deny creation'];
const OUTSIDE = 'Yes, and always allow non-workspace access';
const LONG_COMMAND = `printf '%s' ${'word '.repeat(80)}`.trim();
const LONG_QUESTION =
  'Which of the many colours that there are would you like to have for the roof?';

/** What takes the box's place, or opens below it. */
export const scenesOfDialogs: readonly Scene[] = [
  {
    name: 'permission-command',
    spread: 'core',
    acts: [...prompt('run npm run build'), see(/1\. Yes/)],
    expected: command('npm'),
  },
  {
    name: 'permission-command-third-marked',
    spread: 'wording',
    acts: [...prompt('run ls -la'), see(/1\. Yes/), then('Down', 'Down'), see(/> 3\. /)],
    expected: command('ls', 2),
  },
  {
    name: 'permission-command-long',
    spread: 'one',
    acts: [...prompt(`run ${LONG_COMMAND}`), see(/1\. Yes/)],
    expected: command('printf'),
  },
  {
    name: 'permission-command-twin',
    spread: 'wording',
    acts: [...prompt('twin ls'), see(/○/), see(/1\. Yes/), then('1'), see(/● (?:Ran 2|Bash)/)],
    expected: command('ls'),
  },
  {
    name: 'permission-command-future',
    spread: 'one',
    knobs: { VERSION: '1.3.2' },
    acts: [...prompt('run ls'), see(/Shall this/)],
    expected: () => ({
      state: 'awaiting-answer',
      detail: 'menu',
      dialog: {
        rule: 'menu',
        title: 'Shall this command be run?',
        options: options(['Once', ...commandOptions(3, 'ls').slice(1, 3), 'Not now']),
      },
    }),
  },
  {
    name: 'permission-file',
    spread: 'wording',
    acts: [...prompt('write notes.txt some words'), see(/1\. Yes/)],
    expected: permission('permission-file', CREATION, FILE),
  },
  {
    name: 'permission-file-edit',
    spread: 'one',
    acts: [...prompt('edit notes.txt some words'), see(/Edit file/), see(/1\. Yes/)],
    expected: permission('permission-file', CREATION, FILE),
  },
  {
    name: 'permission-file-outside',
    spread: 'core',
    acts: [...prompt('write /nowhere/plan.txt a plan'), see(/1\. Yes/)],
    expected: permission('permission-file', CREATION, FILE.toSpliced(1, 0, OUTSIDE)),
  },
  {
    name: 'permission-access',
    spread: 'wording',
    acts: [...prompt('read /etc/hostname'), see(/1\. Yes/)],
    expected: permission('permission-access', 'Allow access to this file?', [
      ...['Yes, allow access', OUTSIDE, 'No, deny access'],
    ]),
  },
  {
    name: 'question',
    spread: 'core',
    acts: [...prompt(`ask ${LONG_QUESTION}|red|blue`), see(/Write-in/)],
    expected: question(`Question 1/1: ${LONG_QUESTION}`, ['red', 'blue', 'Write-in...']),
  },
  {
    name: 'question-second',
    spread: 'one',
    acts: [...prompt('ask2 Roof?|red|blue / Door?|oak|ash'), see(/1\/2/), then('2'), see(/2\/2/)],
    expected: question('Question 2/2: Door?', ['oak', 'ash', 'Write-in...']),
  },
  {
    name: 'question-several',
    spread: 'wording',
    acts: [...prompt('askmulti Which?|red|blue'), see(/\[ \] red/), then('Space'), see(/\[x\]/)],
    expected: question('Question 1/1: Which?', []),
  },
  {
    name: 'question-in-words',
    spread: 'one',
    acts: [...prompt('ask Which?|red|blue'), see(/Write-in/), then('3'), see(/Your answer:/)],
    expected: question('Question 1/1: Which?', []),
  },
  {
    name: 'question-in-words-draft',
    spread: 'one',
    acts: [
      ...[...prompt('ask Which?|red|blue'), see(/Write-in/), then('3'), see(/Your answer:/)],
      ...[then('g', 'r'), see(/> gr/)],
    ],
    expected: question('Question 1/1: Which?', []),
  },
  {
    name: 'trust',
    spread: 'core',
    start: 'untrusted',
    acts: [see(/No, exit/)],
    expected: trust(0),
  },
  {
    name: 'trust-second-marked',
    spread: 'one',
    start: 'untrusted',
    args: ['--dangerously-skip-permissions'],
    acts: [see(/No, exit/), then('y', '1', 'Down'), see(/> No, exit/)],
    expected: trust(1),
  },
  {
    name: 'login',
    spread: 'wording',
    knobs: { SIGNED_OUT: '1' },
    acts: [see(/Google OAuth/)],
    expected: login('Select login method:', ['Google OAuth', 'Use a Google Cloud project']),
  },
  {
    name: 'signing-in',
    spread: 'one',
    knobs: { SIGNED_OUT: '1' },
    acts: [see(/Google OAuth/), then('Enter'), see(/Signing in/)],
    expected: login('Signing in...', []),
  },
  {
    name: 'theme',
    spread: 'one',
    start: 'first-run',
    acts: [see(/color scheme/)],
    expected: login('Choose a color scheme:', ['Terminal colors', 'Dark', 'Light']),
  },
  {
    name: 'terms',
    spread: 'one',
    start: 'first-run',
    acts: [see(/color scheme/), then('Enter'), see(/\[Previous\]/)],
    expected: login('Terms and Privacy:', []),
  },
  {
    name: 'popup',
    spread: 'wording',
    acts: [READY, then('/'), see(/tab Complete/)],
    expected: popup('/', 'other'),
  },
  {
    name: 'popup-other-marked',
    spread: 'one',
    acts: [READY, then('/', 'c'), see(/> \/clear/), then('Down'), see(/> \/config/)],
    expected: popup('/c', 'other'),
  },
  {
    name: 'popup-exit',
    spread: 'wording',
    acts: [READY, then('/exit'), see(/> \/exit +Exit/)],
    expected: popup('/exit', 'prompt'),
  },
  {
    name: 'artifact-list',
    spread: 'one',
    acts: [
      ...[...prompt('plan'), see(/1 artifact/), READY, then('/artifact'), see(/> \/artifact +R/)],
      ...[then('Enter'), see(/Action required/)],
    ],
    expected: overlay,
  },
  {
    name: 'panel-model',
    spread: 'one',
    acts: [READY, then('/model'), see(/> \/model +S/), then('Enter'), see(/Switch Model/)],
    expected: overlay,
  },
  {
    name: 'panel-config',
    spread: 'one',
    acts: [READY, then('/config'), see(/> \/config +S/), then('Enter'), see(/Animation Speed/)],
    expected: overlay,
  },
  {
    name: 'panel-shortcuts',
    spread: 'one',
    acts: [READY, then('?'), see(/shortcuts {3}\(/)],
    expected: overlay,
  },
  {
    name: 'panel-resume',
    spread: 'one',
    acts: [READY, then('/resume'), see(/> \/resume +Go/), then('Enter'), see(/f2 Rename/)],
    expected: overlay,
  },
];
