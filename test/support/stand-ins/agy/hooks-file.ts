import { findText } from '../../../../src/demo-agent/home.ts';
import { asObject } from './settings.ts';

export const EVENTS = [
  'SessionStart',
  'PreInvocation',
  'PostInvocation',
  'PreToolUse',
  'PostToolUse',
  'Stop',
] as const;

export type HookEventName = (typeof EVENTS)[number];

export interface Handler {
  readonly command: string;
  readonly timeoutS: number;
  /** Undefined for any tool. */
  readonly matcher?: RegExp;
}

export type Hooks = ReadonlyMap<HookEventName, readonly Handler[]>;

const WITH_MATCHER: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse']);

/**
 * Hooks of one file: below names of one's own, events with their handlers. One structural fault and nothing
 * of the file is loaded; an unknown event is ignored.
 *
 * @throws {Error} Of what is wrong.
 */
export function parseHooks(text: string): Hooks {
  const file: unknown = JSON.parse(text);
  const hooks = new Map<HookEventName, Handler[]>();
  for (const [name, group] of Object.entries(object(file, 'top level'))) {
    const { enabled = true, ...events } = object(group, name);
    if (typeof enabled !== 'boolean') throw new Error(`${name}.enabled is no boolean`);
    for (const [event, entries] of Object.entries(events)) {
      const known = EVENTS.find((each) => each === event);
      if (known === undefined) continue;
      const handlers = array(entries, event).flatMap((entry) => readEntry(event, entry));
      if (enabled) hooks.set(known, [...(hooks.get(known) ?? []), ...handlers]);
    }
  }
  return hooks;
}

function readEntry(event: string, entry: unknown): Handler[] {
  if (!WITH_MATCHER.has(event)) return [readHandler(entry)];
  const { matcher = '*', hooks } = object(entry, event);
  if (typeof matcher !== 'string') throw new Error(`${event}.matcher is no string`);
  const tools =
    matcher === '*' || matcher === '' ? {} : { matcher: new RegExp(`^(?:${matcher})$`) };
  return array(hooks, `${event}.hooks`).map((each) => ({ ...readHandler(each), ...tools }));
}

function readHandler(value: unknown): Handler {
  const { type, command, timeout = 30 } = object(value, 'handler');
  if (type !== 'command' || typeof command !== 'string')
    throw new Error('a handler has no command');
  if (!Number.isInteger(timeout)) throw new Error('timeout is no whole number');
  return { command, timeoutS: Number(timeout) };
}

function object(value: unknown, where: string): Readonly<Record<string, unknown>> {
  const found = asObject(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where} is no object`);
  return found;
}

function array(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} is no array`);
  return value;
}

export interface LoadedHooks {
  readonly hooks: Hooks;
  /** Folder that its commands run in. */
  readonly folder: string;
  readonly names: readonly string[];
}

/** @param log - Gets the one trace that a broken file leaves. */
export function loadHooks(folder: string, log: (line: string) => void): LoadedHooks {
  const path = `${folder}/hooks.json`;
  const text = findText(path);
  const none: LoadedHooks = { hooks: new Map(), folder, names: [] };
  if (text === undefined) return none;
  try {
    const hooks = parseHooks(text);
    const names = Object.keys(JSON.parse(text));
    log(`hooks_manager.go:53] loaded ${names.length} named hooks from 1 hooks.json file(s)`);
    return { hooks, folder, names };
  } catch (error) {
    log(`failed to parse hooks.json at ${path}: ${error instanceof Error ? error.message : ''}`);
    return none;
  }
}
