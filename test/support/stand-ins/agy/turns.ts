import { Conversation, type ConversationPlace } from './conversation.ts';
import type { HookRunner } from './hook-runner.ts';
import type { Knobs } from './knobs.ts';
import type { Settings } from './settings.ts';
import type { Script, Step } from './steps.ts';
import { planner, system } from './transcript-records.ts';
import { runTurn } from './turn.ts';
import type { Outcome, TurnContext } from './turn-context.ts';
import type { Ui } from './ui.ts';

export interface TurnsParts {
  readonly ui: Ui;
  readonly place: ConversationPlace;
  readonly hooks: HookRunner;
  readonly settings: Settings;
  readonly knobs: Knobs;
  readonly script: Script;
  readonly workspaces: readonly string[];
  readonly skipsPermissions: boolean;
}

const INTERRUPTED = 'Interrupted · What should Antigravity CLI do instead?';

/** The turns of a process, one after another, and the conversation that they are in. */
export class Turns {
  readonly #parts: TurnsParts;
  /** The one that is asked for next; its files begin with its first prompt. */
  #conversation: Conversation | undefined;
  #hasStarted = false;
  #abort: AbortController | undefined;
  #finished = 0;
  #allowedHere = new Set<string>();

  constructor(parts: TurnsParts, resumed: Conversation | undefined) {
    this.#parts = parts;
    this.#conversation = resumed;
  }

  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** The next prompt begins another conversation, in the same process. */
  startAnew(next?: Conversation): void {
    this.#conversation?.close();
    this.#conversation = next;
    this.#hasStarted = false;
    this.#allowedHere = new Set();
    this.#parts.ui.items = [{ kind: 'banner' }];
    this.#parts.ui.draw();
  }

  interrupt(): void {
    this.#abort?.abort();
  }

  /** Begins a turn, or puts the text behind the one that runs. */
  submit(text: string): void {
    if (this.#abort === undefined) return void this.#run(text);
    this.#parts.ui.queued.push(text);
    this.#parts.ui.draw();
  }

  async #run(text: string): Promise<void> {
    const { ui, hooks, place, script } = this.#parts;
    this.#abort = new AbortController();
    ui.show({ kind: 'prompt', text });
    ui.setBusy('Generating');
    this.#conversation ??= new Conversation(place);
    const conversation = this.#conversation;
    await conversation.addPrompt(text);
    if (!this.#hasStarted) await hooks.fire('SessionStart', conversation);
    this.#hasStarted = true;
    await this.#go(conversation, text, script.stepsFor(text));
    const next = ui.queued.shift();
    this.#abort = undefined;
    if (next !== undefined) await this.#run(next);
  }

  /** From the first question to the model to the end of the turn. */
  async #go(conversation: Conversation, text: string, steps: readonly Step[]): Promise<void> {
    const { hooks, ui } = this.#parts;
    const signal = this.#abort?.signal ?? new AbortController().signal;
    const invocation = { invocationNum: 0, initialNumSteps: 1 };
    await hooks.fire('PreInvocation', conversation, invocation);
    const outcome = await runTurn(text, steps, this.#context(conversation, signal));
    if (outcome.kind === 'interrupted') await this.#showInterrupt(conversation, text);
    if (outcome.kind === 'failed') this.#showFailure(conversation, outcome);
    if (outcome.kind === 'goes-on') await hooks.fire('PostInvocation', conversation, invocation);
    ui.setBusy(undefined);
    if (outcome.kind === 'goes-on' || outcome.kind === 'failed')
      await this.#fireStop(conversation, outcome.kind === 'failed' ? outcome.text : '');
    if (outcome.kind === 'goes-on') this.#offerSurvey();
  }

  #fireStop(conversation: Conversation, error: string): Promise<void> {
    return this.#parts.hooks.fire('Stop', conversation, {
      executionNum: this.#finished,
      terminationReason: error === '' ? 'NO_TOOL_CALL' : 'ERROR',
      fullyIdle: this.#parts.ui.tasks.size === 0,
      error,
    });
  }

  /** What waited comes back into the box. A reply that was under way may still win. */
  async #showInterrupt(conversation: Conversation, text: string): Promise<void> {
    const { ui, knobs } = this.#parts;
    if (knobs.race) {
      conversation.add((at, now) => planner(at, now, { content: `echo: ${text}` }));
      ui.show({ kind: 'answer', text: `echo: ${text}` });
    } else ui.show({ kind: 'result', text: INTERRUPTED });
    const waiting = ui.queued.splice(0).join('\n');
    for (const char of waiting) ui.draft.type(char);
    ui.setBusy(undefined);
    if (knobs.race) await this.#fireStop(conversation, '');
  }

  #showFailure(conversation: Conversation, { title, text }: Outcome & { kind: 'failed' }): void {
    conversation.add((at, now) => system(at, 'ERROR_MESSAGE', now, text));
    this.#parts.ui.show({ kind: 'notice', title, text });
  }

  #offerSurvey(): void {
    const { ui, knobs, settings } = this.#parts;
    this.#finished++;
    const isDue = knobs.survey !== 'third' || this.#finished % 3 === 0;
    if (!isDue || settings.get('showFeedbackSurvey') === false) return;
    ui.survey = knobs.survey === 'instead' ? 'instead' : 'above-footer';
    ui.draw();
  }

  #context(conversation: Conversation, signal: AbortSignal): TurnContext {
    const { place } = this.#parts;
    return {
      ...this.#parts,
      cwd: place.cwd,
      conversation,
      allowedHere: this.#allowedHere,
      signal,
      defaultAnswer: undefined,
      taskStarted: (pid, command, ended) => {
        const time = new Date().toTimeString().slice(0, 8);
        this.#parts.ui.tasks.set(pid, `[${time}] ${command} running`);
        void ended.then(() => this.#wakeUp(conversation, pid, command));
      },
    };
  }

  /** A turn that nobody asked for. */
  async #wakeUp(conversation: Conversation, pid: number, command: string): Promise<void> {
    const { ui } = this.#parts;
    ui.tasks.delete(pid);
    ui.draw();
    if (this.#abort !== undefined || this.#conversation !== conversation) return;
    this.#abort = new AbortController();
    conversation.add((at, now) => system(at, 'SYSTEM_MESSAGE', now, `Task ended: ${command}`));
    const said = `the background task ended: ${command}`;
    ui.setBusy('Generating');
    await this.#go(conversation, said, [{ word: 'say', rest: said }]);
    this.#abort = undefined;
  }
}
