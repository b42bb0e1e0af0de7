import { spawn } from 'node:child_process';
import { findText, parseObject } from './home.ts';

export type HookName =
  | 'SessionStart'
  | 'SessionEnd'
  | 'UserPromptSubmit'
  | 'PreToolUse'
  | 'PermissionRequest'
  | 'PostToolUse'
  | 'Stop'
  | 'StopFailure';

/** A hook that has not ended by then no longer holds up the next one. */
const TURN_MS = 2000;
/** How long a caller waits at most for a hook to have got its payload. */
const WRITTEN_MS = 500;
const SETTLE_MS = 3000;

/**
 * Runs the commands of a settings file, each with `sh -c` and the event as JSON on its standard
 * input. One after another, so that their effects keep the order of events. Failures are ignored.
 */
export class HookRunner {
  readonly #commands: ReadonlyMap<string, readonly string[]>;
  #last: Promise<void> = Promise.resolve();

  constructor(commands: ReadonlyMap<string, readonly string[]>) {
    this.#commands = commands;
  }

  /**
   * Starts the hooks of an event when those before have ended.
   *
   * @returns Resolves when all were started and written to, at the latest after half a second.
   */
  fire(event: HookName, payload: Readonly<Record<string, unknown>>): Promise<void> {
    const input = JSON.stringify(payload);
    const writes = (this.#commands.get(event) ?? []).map((command) => {
      const { written, ended } = this.#enqueue(command, input);
      this.#last = ended;
      return written;
    });
    return atMost(Promise.all(writes), WRITTEN_MS);
  }

  /** Resolves when everything fired so far has ended, at the latest after 3 seconds. */
  settled(): Promise<void> {
    return atMost(this.#last, SETTLE_MS);
  }

  #enqueue(command: string, input: string): Run {
    const run = this.#last.then(() => runHook(command, input));
    return {
      written: run.then((each) => each.written),
      ended: run.then((each) => atMost(each.ended, TURN_MS)),
    };
  }
}

/**
 * Reads hooks in Claude Code's form: `{hooks: {Event: [{hooks: [{type, command}]}]}}`.
 *
 * @throws {Error} When the file is absent or no JSON.
 */
export function loadHooks(settingsFile: string | undefined): Map<string, string[]> {
  if (settingsFile === undefined) return new Map();
  const settings = parseObject(findText(settingsFile));
  if (settings === undefined) throw new Error(`Settings file not found: ${settingsFile}`);
  return new Map(
    Object.entries(asObject(settings.hooks)).map(([event, entries]) => [
      event,
      asArray(entries).flatMap(commandsOf),
    ]),
  );
}

function commandsOf(entry: unknown): string[] {
  return asArray(asObject(entry).hooks).flatMap((hook) => {
    const { command } = asObject(hook);
    return typeof command === 'string' ? [command] : [];
  });
}

interface Run {
  readonly written: Promise<void>;
  readonly ended: Promise<void>;
}

function runHook(command: string, input: string): Run {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const written = new Promise<void>((resolve) => {
    // A hook that does not read its input closes the pipe: that is its own business.
    child.stdin.once('error', () => resolve());
    child.stdin.end(input, () => resolve());
    void ended.then(resolve);
  });
  return { written, ended };
}

async function atMost(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
