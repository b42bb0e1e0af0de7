import { parseArgs } from 'node:util';

export type StartDialog = 'trust' | 'trust-first-yes' | 'login';

/** The command line, checked. Times are milliseconds. */
export interface DemoOptions {
  readonly sessionId: string | undefined;
  readonly resume: string | undefined;
  readonly settings: string | undefined;
  readonly name: string;
  readonly permissions: 'skip' | 'ask';
  readonly model: string;
  readonly logBytes: string | undefined;
  readonly absorbMs: number;
  readonly absorbCount: number;
  readonly ghost: string;
  readonly bootMs: number;
  /** It reads nothing until this file is there. */
  readonly bootUntil: string | undefined;
  readonly dialog: StartDialog | undefined;
  readonly crashOnStart: number | undefined;
  readonly exitOnResume: string | undefined;
  readonly unknownResume: 'error' | 'fresh';
  readonly envDump: string | undefined;
  readonly neverReady: boolean;
  readonly slashMenu: boolean;
  readonly eatCommand: boolean;
  readonly vanishOnce: boolean;
  readonly dialogOnPaste: boolean;
  readonly dialogLagMs: number;
  readonly hooks: boolean;
  readonly lieClear: boolean;
  readonly tree: boolean;
  readonly leaveShell: boolean;
  /** Draws only what changes: no spinner moves. */
  readonly still: boolean;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const spec = {
  'session-id': text,
  resume: text,
  settings: text,
  name: { type: 'string', short: 'n' },
  permissions: text,
  model: text,
  'log-bytes': text,
  'absorb-ms': text,
  'absorb-count': text,
  ghost: text,
  'boot-ms': text,
  'boot-until': text,
  dialog: text,
  'crash-on-start': text,
  'exit-on-resume': text,
  'unknown-resume': text,
  'env-dump': text,
  'never-ready': flag,
  'slash-menu': flag,
  'eat-command': flag,
  'vanish-once': flag,
  'dialog-on-paste': flag,
  'dialog-lag-ms': text,
  'no-hooks': flag,
  'lie-clear': flag,
  tree: flag,
  'leave-shell': flag,
  still: flag,
} as const;

/**
 * @param argv - Arguments after the program's name.
 * @throws {Error} With one line for the user when an option is unknown or its value impossible.
 */
export function parseOptions(argv: readonly string[]): DemoOptions {
  const { values } = parseArgs({ args: [...argv], options: spec, allowPositionals: false });
  if (values['session-id'] !== undefined && values.resume !== undefined)
    throw new Error('Give --session-id or --resume, not both.');
  return {
    sessionId: uuid(values['session-id']),
    resume: uuid(values.resume),
    settings: values.settings,
    name: values.name ?? '',
    permissions: oneOf('permissions', values.permissions ?? 'ask', ['skip', 'ask']),
    model: values.model ?? 'echo-1',
    logBytes: values['log-bytes'],
    absorbMs: optionalCount('absorb-ms', values['absorb-ms']) ?? 0,
    absorbCount: optionalCount('absorb-count', values['absorb-count']) ?? Infinity,
    ghost: values.ghost ?? '',
    bootMs: optionalCount('boot-ms', values['boot-ms']) ?? 0,
    bootUntil: values['boot-until'],
    dialog: startDialog(values.dialog),
    crashOnStart: optionalCount('crash-on-start', values['crash-on-start']),
    exitOnResume: values['exit-on-resume'],
    unknownResume: oneOf('unknown-resume', values['unknown-resume'] ?? 'error', ['error', 'fresh']),
    envDump: values['env-dump'],
    neverReady: values['never-ready'] ?? false,
    slashMenu: values['slash-menu'] ?? false,
    eatCommand: values['eat-command'] ?? false,
    vanishOnce: values['vanish-once'] ?? false,
    dialogOnPaste: values['dialog-on-paste'] ?? false,
    dialogLagMs: optionalCount('dialog-lag-ms', values['dialog-lag-ms']) ?? 0,
    hooks: !(values['no-hooks'] ?? false),
    lieClear: values['lie-clear'] ?? false,
    tree: values.tree ?? false,
    leaveShell: values['leave-shell'] ?? false,
    still: values.still ?? false,
  };
}

function uuid(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value.toLowerCase();
  throw new Error('Invalid session ID. Must be a valid UUID.');
}

function startDialog(value: string | undefined): StartDialog | undefined {
  if (value === undefined) return undefined;
  return oneOf<StartDialog>('dialog', value, ['trust', 'trust-first-yes', 'login']);
}

function optionalCount(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new Error(`--${option} takes a whole number, not "${value}".`);
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new Error(`--${option} takes ${allowed.join(' | ')}, not "${value}".`);
}
