import { shellQuote } from './prompt-text.ts';

interface HookEntry {
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    readonly timeout?: number;
  }[];
}

/**
 * The `hooks` part of a settings file in Claude Code's form: each event runs
 * `sh '<hookScript>' <Event>` with the event's JSON on its standard input.
 *
 * @param options.timeoutS - Seconds; the agent's own default when left out.
 */
export function hookEntries(
  hookScript: string,
  events: readonly string[],
  options: { readonly timeoutS?: number } = {},
): Record<string, readonly HookEntry[]> {
  const timeout = options.timeoutS === undefined ? {} : { timeout: options.timeoutS };
  const entry = (event: string): readonly HookEntry[] => [
    { hooks: [{ type: 'command', command: `sh ${shellQuote(hookScript)} ${event}`, ...timeout }] },
  ];
  return Object.fromEntries(events.map((event) => [event, entry(event)]));
}
