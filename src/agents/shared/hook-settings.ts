import { shellQuote } from './prompt-text.ts';

interface HookEntry {
  readonly hooks: readonly { readonly type: 'command'; readonly command: string }[];
}

/**
 * The `hooks` part of a settings file in Claude Code's form: each event runs
 * `sh '<hookScript>' <Event>` with the event's JSON on its standard input.
 */
export function hookEntries(
  hookScript: string,
  events: readonly string[],
): Record<string, readonly HookEntry[]> {
  const entry = (event: string): readonly HookEntry[] => [
    { hooks: [{ type: 'command', command: `sh ${shellQuote(hookScript)} ${event}` }] },
  ];
  return Object.fromEntries(events.map((event) => [event, entry(event)]));
}
