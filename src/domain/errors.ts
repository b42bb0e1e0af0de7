/**
 * Every reason for which a command of ours may end other than well. The number is the exit code
 * (docs/cli.md); faces other than the CLI map the code, never the message.
 */
export const errorExitCodes = {
  'internal.bug': 1,
  'usage.invalid': 2,
  'config.invalid': 2,
  'name.invalid': 2,
  'prompt.blank': 2,
  'prompt.too-long': 2,
  'session.unknown': 3,
  'conversation.unknown': 3,
  'conversation.not-resumed': 3,
  'name.taken': 4,
  'role.immutable': 4,
  'session.wrong-state': 4,
  'conversation.claimed': 4,
  'launch.superseded': 4,
  'delivery.conflict': 4,
  'answer.no-such-option': 4,
  'answer.no-dialog': 4,
  'tmux.missing': 5,
  'tmux.too-old': 5,
  'tmux.unreachable': 5,
  'agent.missing': 5,
  'agent.version': 5,
  'agent.logged-out': 5,
  'agent.refuses-root': 5,
  'agent.start-failed': 5,
  'env.missing': 5,
  'cwd.missing': 5,
  'native.missing': 5,
  'workspace.missing': 5,
  'workspace.untrusted': 5,
  'platform.unsupported': 5,
  'answer.unproven': 6,
  'agent.not-ready': 8,
  'wait.timeout': 8,
  'registry.busy': 9,
  'session.busy': 9,
  'attach.nested': 9,
  'monitor.elsewhere': 9,
  'registry.damaged': 10,
  'registry.unreadable': 10,
  'registry.unwritable': 10,
  'file.unreadable': 10,
  'stop.survivors': 11,
  'turn.failed': 12,
  'tmux.failed': 1,
  'notify.failed': 1,
  'monitor.failed': 1,
  interrupted: 130,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorExitCodes;

export interface MamErrorOptions {
  readonly cause?: unknown;
  /** What the user can do next: one line, a command where there is one. */
  readonly hint?: string;
}

/**
 * The one error class. `message` says what was attempted, on what, and what was found; `details` are
 * safe to log and to print (no prompt text, no values of variables).
 */
export class MamError extends Error {
  override readonly name = 'MamError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options: MamErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.hint = options.hint;
  }

  get exitCode(): number {
    return errorExitCodes[this.code];
  }
}

/**
 * True for a `MamError`, of this code when one is given. By its name: the program is several bundles, and
 * each has the class.
 */
export function isMamError(error: unknown, code?: ErrorCode): error is MamError {
  if (!(error instanceof Error) || error.name !== 'MamError') return false;
  return code === undefined || (error as MamError).code === code;
}

/** For a file that was to be read, whatever the file system said of it. */
export function unreadable(path: string, cause: unknown): MamError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MamError('file.unreadable', `Could not read ${path}: ${reason}.`, { path }, { cause });
}
