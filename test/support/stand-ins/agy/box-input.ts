import { spawnSync } from 'node:child_process';
import { appendJsonLine } from '../../../../src/demo-agent/home.ts';
import type { InputEvent } from '../../../../src/demo-agent/input-parser.ts';
import type { CommandName } from './commands.ts';
import { Conversation, type ConversationPlace } from './conversation.ts';
import type { PanelName } from './panels.ts';
import type { Turns } from './turns.ts';
import type { Mode, Ui } from './ui.ts';

const PANELS = {
  '/help': 'help',
  '/model': 'model',
  '/config': 'config',
  '/resume': 'resume',
} as const;
const MODES: readonly Mode[] = ['', 'accept-edits', 'plan'];

/** What keys do while no dialog is open: to the survey, a panel, or the box. */
export class BoxInput {
  readonly #ui: Ui;
  readonly #turns: Turns;
  readonly #place: ConversationPlace;
  readonly #leave: () => void;

  constructor(ui: Ui, turns: Turns, place: ConversationPlace, leave: () => void) {
    this.#ui = ui;
    this.#turns = turns;
    this.#place = place;
    this.#leave = leave;
  }

  handle(event: InputEvent): void {
    if (this.#ui.panel) this.#keyOfPanel(event);
    else if (this.#ui.survey === 'none' || isAway(event)) this.#keyOfBox(event);
    else this.#keyOfSurvey(event);
    this.#ui.draw();
  }

  /** Its digits put it away; a paste, an Enter, any other text goes nowhere. */
  #keyOfSurvey(event: InputEvent): void {
    if (event.kind === 'text' && /^[0-3]$/.test(event.text)) this.#ui.survey = 'none';
  }

  #keyOfPanel(event: InputEvent): void {
    const { panel } = this.#ui;
    const name = panel?.lines[0];
    const answer = event.kind === 'text' ? event.text : '';
    if (event.kind === 'escape' || event.kind === 'interrupt') this.#ui.panel = undefined;
    if (panel?.name !== 'artifacts' || name === undefined || !/^[yn]$/.test(answer)) return;
    this.#ui.panel = undefined;
    this.#ui.artifacts = this.#ui.artifacts.slice(1);
    this.#turns.submit(`${answer === 'y' ? '[Approved]' : '[Rejected]'} ${name}`);
  }

  #keyOfBox(event: InputEvent): void {
    const { keys, busy } = this.#ui;
    const action = keys.press(event, busy, Date.now());
    switch (action?.kind) {
      case 'submit':
        this.#submit();
        break;
      case 'command':
        this.#run(action.name);
        break;
      case 'interrupt':
        this.#turns.interrupt();
        break;
      case 'leave':
        this.#leave();
        break;
      case 'shortcuts':
        this.#open('help');
        break;
      case 'cycle-mode':
        this.#ui.mode = MODES[(MODES.indexOf(this.#ui.mode) + 1) % MODES.length] ?? '';
        break;
    }
  }

  #submit(): void {
    const { draft } = this.#ui;
    const { isShell, text } = draft;
    draft.clear();
    if (isShell) this.#runShell(text);
    else this.#turns.submit(text.trimEnd());
  }

  #runShell(text: string): void {
    const { folder, cwd } = this.#place;
    const line = { text, type: 'shell', folder: cwd, at: Date.now() };
    appendJsonLine(`${folder}/history.jsonl`, line);
    const { stdout } = spawnSync('sh', ['-c', text], { cwd, encoding: 'utf8' });
    this.#ui.show({ kind: 'rows', rows: [`! ${text}`] });
    this.#ui.show({ kind: 'result', text: stdout.trimEnd() || '(no output)' });
  }

  #run(name: CommandName): void {
    switch (name) {
      case '/exit':
      case '/quit':
        this.#leave();
        break;
      case '/clear':
        this.#turns.startAnew();
        break;
      case '/fork':
        this.#turns.startAnew(new Conversation(this.#place));
        break;
      case '/artifact':
        this.#open('artifacts', this.#ui.artifacts);
        break;
      case '/tasks':
        this.#open('notes', ['Background tasks', ...this.#ui.tasks.values()]);
        break;
      case '/usage':
        this.#open('notes', ['Quota', '  Gemini 3.8 Flash   80 % left']);
        break;
      case '/hooks':
        this.#open('notes', ['Hooks']);
        break;
      default:
        this.#open(PANELS[name]);
    }
  }

  #open(name: PanelName, lines: readonly string[] = []): void {
    const footer = name === 'artifacts' ? 'blank' : 'cancel';
    this.#ui.panel = { name, lines, footer };
  }
}

function isAway({ kind }: InputEvent): boolean {
  return kind === 'interrupt' || kind === 'end-of-input';
}
