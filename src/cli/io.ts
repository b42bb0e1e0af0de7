import { explainError } from '../app/explain-error.ts';
import { visible } from '../base/visible.ts';
import { errorExitCodes, type MamError } from '../domain/errors.ts';
import { writeErr, writeOut } from './write.ts';

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
