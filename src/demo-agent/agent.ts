import { setTimeout as sleep } from 'node:timers/promises';
import { untilThere } from './boot-file.ts';
import { ComposerKeys } from './composer-keys.ts';
import { loginDialog, TRUST_YES, trustDialog } from './dialog.ts';
import { type InputEvent, InputParser } from './input-parser.ts';
import type { DemoOptions } from './options.ts';
import { leaveProcess } from './process-tree.ts';
import type { Session } from './session.ts';
import { parseSlash, type SlashCommand } from './slash.ts';
import { Terminal } from './terminal.ts';
import { isTrusted, rememberTrust } from './trust-store.ts';
import { interject, runTurn } from './turn.ts';
import { Ui } from './ui.ts';
import { VERSION } from './version.ts';

/** An ESC byte that nothing follows for so long was the Escape key. */
const ESCAPE_MS = 50;

export interface AgentParts {
  readonly options: DemoOptions;
  readonly home: string;
  readonly cwd: string;
  readonly session: Session;
  /** True when the conversation was there before. */
  readonly resumed: boolean;
  /** Shown at the top of the transcript. */
  readonly warning?: string;
}

/** The running agent: input comes in, turns and commands run one after another. */
export class DemoAgent {
  readonly #parts: AgentParts;
  readonly #session: Session;
  readonly #terminal: Terminal;
  readonly #ui: Ui;
  readonly #keys: ComposerKeys;
  readonly #parser = new InputParser();
  readonly #queue: (() => Promise<void>)[] = [];
  #model: string;
  #escapeTimer: NodeJS.Timeout | undefined;
  #reading = false;
  #turn: AbortController | undefined;
  #working = false;
  #quitting = false;
  #interjects: boolean;

  constructor(parts: AgentParts) {
    const { options } = parts;
    this.#parts = parts;
    this.#session = parts.session;
    this.#model = options.model;
    this.#interjects = options.dialogOnPaste;
    this.#terminal = new Terminal(process.stdin, process.stdout, options.logBytes);
    this.#ui = new Ui(this.#terminal, { ...options, header: () => this.#header() });
    this.#keys = new ComposerKeys(this.#ui.draft, options);
  }

  /** Takes the terminal, goes through the start-up dialogs, is ready. Does not wait for the end. */
  async start(): Promise<void> {
    this.#terminal.open({
      onInput: (chunk) => this.#read(chunk),
      onResize: () => this.#ui.scheduleDraw(),
      onGone: () => void this.#quit(129, 'other'),
    });
    process.on('SIGTERM', () => void this.#quit(143, 'other'));
    process.on('SIGHUP', () => void this.#quit(129, 'other'));
    this.#ui.drawNow();
    await this.#askAtStart();
    if (!this.#parts.options.neverReady) await this.#boot();
  }

  /** The questions that a real agent asks before anything else. */
  async #askAtStart(): Promise<void> {
    const { options, home, cwd } = this.#parts;
    this.#reading = true;
    while (options.dialog === 'login') await this.#ui.ask(loginDialog());
    if (options.dialog !== undefined && !isTrusted(home, cwd)) {
      const dialog = trustDialog(cwd, options.dialog === 'trust-first-yes');
      const picked = await this.#ui.ask(dialog);
      if (picked === undefined || dialog.options[picked] !== TRUST_YES) return this.#quit(1);
      rememberTrust(home, cwd);
    }
    this.#reading = false;
  }

  /** The composer is drawn half-way; only at the end is input read: what came before is lost. */
  async #boot(): Promise<void> {
    const { options, resumed, warning } = this.#parts;
    await sleep(options.bootMs / 2);
    for (const { type, text } of this.#session.conversation.messages)
      this.#ui.show(type === 'user' ? 'prompt' : 'answer', text);
    if (warning !== undefined) this.#ui.show('notice', warning);
    this.#ui.composerShown = true;
    this.#ui.drawNow();
    await sleep(options.bootMs / 2);
    if (options.bootUntil !== undefined) await untilThere(options.bootUntil);
    if (this.#quitting) return;
    this.#reading = true;
    await this.#session.start(resumed ? 'resume' : 'startup');
  }

  #header(): string {
    const { name } = this.#parts.options;
    return `demo agent ${VERSION} · ${this.#model}${name === '' ? '' : ` · ${name}`}`;
  }

  #read(chunk: Buffer): void {
    clearTimeout(this.#escapeTimer);
    if (!this.#reading) return;
    for (const event of this.#parser.feed(chunk, performance.now())) this.#handle(event);
    if (!this.#parser.escapeWaits) return;
    this.#escapeTimer = setTimeout(() => {
      for (const event of this.#parser.flushEscape()) this.#handle(event);
    }, ESCAPE_MS);
  }

  #handle(event: InputEvent): void {
    if (this.#quitting) return;
    if (this.#ui.dialogOpen) {
      this.#ui.step(event);
      return;
    }
    const action = this.#keys.press(event, this.#turn !== undefined);
    if (event.kind === 'paste') this.#interject();
    this.#ui.footerHint = this.#keys.exitHint;
    if (action === 'submit') this.#submit();
    else if (action === 'interrupt-turn') this.#turn?.abort();
    else if (action === 'exit') void this.#quit(0, 'prompt_input_exit');
    this.#ui.scheduleDraw();
  }

  /** Empties the composer, writes down what was submitted, and queues it. */
  #submit(): void {
    const { draft } = this.#ui;
    const shell = draft.mode === 'shell';
    const text = draft.text.trimEnd();
    draft.clear();
    const slash = shell ? undefined : parseSlash(text);
    if (text === '') this.#session.log({ mode: 'empty', text });
    else if (shell) {
      this.#session.log({ mode: 'shell', text });
      this.#enqueue(async () => this.#refuseShell(text));
    } else if (slash !== undefined) {
      this.#session.log({ mode: 'command', text, args: slash.args });
      if (slash.name === '/exit' || slash.name === '/quit') void this.#quit(0, 'prompt_input_exit');
      else this.#enqueue(() => this.#runCommand(slash, text));
    } else {
      this.#session.log({ mode: 'prompt', text });
      this.#enqueue(() => this.#runTurn(text));
    }
  }

  #enqueue(work: () => Promise<void>): void {
    this.#queue.push(work);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (!this.#quitting) await next();
    }
    this.#working = false;
  }

  async #runTurn(text: string): Promise<void> {
    const turn = new AbortController();
    this.#turn = turn;
    await runTurn(text, {
      ui: this.#ui,
      session: this.#session,
      permissions: this.#parts.options.permissions,
      signal: turn.signal,
    });
    this.#turn = undefined;
  }

  /** Once, something in the background asks for permission while a text stands in the composer. */
  #interject(): void {
    if (!this.#interjects) return;
    this.#interjects = false;
    this.#enqueue(() => interject('rm build/tmp.txt', this.#ui, this.#session));
  }

  #refuseShell(text: string): void {
    this.#ui.show('shell', text);
    this.#ui.show('notice', 'shell mode: demo does not run commands');
  }

  async #runCommand(command: SlashCommand, text: string): Promise<void> {
    if (command.name === '/clear') {
      this.#ui.clearTranscript();
      return this.#session.restart(this.#parts.options.lieClear);
    }
    this.#ui.show('prompt', text);
    this.#ui.show('notice', this.#answerCommand(command));
    if (command.name === '/compact')
      await this.#session.fire('SessionStart', { source: 'compact' });
  }

  #answerCommand({ name, args }: SlashCommand): string {
    if (name === '/model') this.#model = args || this.#model;
    if (name === '/model') return `Set model to ${this.#model}`;
    if (name === '/compact') return 'Compacted';
    if (name === '/help') return 'Commands: /clear /compact /exit /help /model NAME /quit';
    return `Unknown command: ${name}`;
  }

  /** Ends the process. @param reason - Of the SessionEnd hook; without one there is none. */
  async #quit(status: number, reason?: string): Promise<void> {
    if (this.#quitting) return;
    this.#quitting = true;
    await this.#session.end(reason);
    this.#ui.close(`Resume with: demo-agent --resume ${this.#session.conversation.id}`);
    if (this.#parts.options.leaveShell) leaveProcess(this.#parts.home);
    process.exit(status);
  }
}
