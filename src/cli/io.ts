import { errorExitCodes, isMamError, MamError } from '../domain/errors.ts';
import { writeErr, writeOut } from './write.ts';

/** What a file system says when it takes nothing more. @see write(2), open(2) */
const CANNOT_WRITE: ReadonlySet<string> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENAMETOOLONG'],
]);

/** Where a command's words go: results to standard output, everything else to standard error. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** The result: one JSON document, or text for a person. */
  result(json: object, text: () => string, how?: { readonly raw: boolean }): void;
  note(text: string): void;
}

export function createOutput(flags: { json: boolean; quiet: boolean }): Output {
  return {
    ...flags,
    result: (json, text, how) => {
      const shown = () => (how?.raw ? text() : visible(text()));
      const body = flags.json ? JSON.stringify({ v: 1, ...json }) : shown();
      if (body !== '') writeOut(body.endsWith('\n') ? body : `${body}\n`);
    },
    note: (text) => {
      if (!flags.quiet) writeErr(`${visible(text)}\n`);
    },
  };
}

/** Says an error in one line and its next step in another; a bug says that it is one. */
export function reportError(error: unknown, json: boolean): number {
  const known = explainError(error);
  if (json) {
    writeOut(`${JSON.stringify({ v: 1, error: errorJson(known) })}\n`);
  } else {
    writeErr(`mam: ${visible(known.message)}\n`);
    if (known.hint) writeErr(`     → ${visible(known.hint)}\n`);
    if (known.code === 'internal.bug' && known.cause instanceof Error) {
      writeErr(`${known.cause.stack}\n`);
    }
  }
  return errorExitCodes[known.code];
}

export function errorJson({ code, message, hint, details }: MamError) {
  return { code, message, hint: hint ?? null, details };
}

export function explainError(error: unknown): MamError {
  if (isMamError(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (
    (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') &&
    /better-sqlite3/.test(message)
  ) {
    return new MamError(
      'native.missing',
      'The module better-sqlite3 is not installed.',
      {},
      {
        cause: error,
        hint: 'Run: npm install in the folder of mam · mam doctor tells what is missing',
      },
    );
  }
  if (code !== undefined && CANNOT_WRITE.has(code)) {
    return new MamError(
      'registry.unwritable',
      `Could not write: ${message}.`,
      {},
      { cause: error },
    );
  }
  const said = error instanceof Error ? error.message : String(error);
  return new MamError(
    'internal.bug',
    `This is a bug in mam: ${said}`,
    {},
    { cause: error, hint: 'Please report it with the lines above.' },
  );
}

/** Agents' words may hold terminal controls: they are shown, not obeyed. Lines and tabs stay. */
export function visible(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
