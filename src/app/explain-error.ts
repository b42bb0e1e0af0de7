import { writeHint } from '../base/write-hint.ts';
import { isMamError, MamError } from '../domain/errors.ts';

/** Calls that change nothing. Files are opened for reading by drivers that say so themselves. */
const READS: ReadonlySet<string> = new Set([
  ...['read', 'scandir', 'opendir', 'stat', 'lstat', 'statfs', 'readlink', 'realpath', 'access'],
]);
/** That something is not there is no trouble of the file system: who asks expects it, or has a bug. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
/** What a file system says when it takes nothing more. @see write(2), open(2) */
const CANNOT_WRITE: ReadonlySet<string> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENAMETOOLONG'],
]);

/** Whatever was thrown, as one of the errors that a caller can be told. What nothing explains is a bug. */
export function explainError(error: unknown): MamError {
  if (isMamError(error)) return error;
  const { code, message, syscall, path } = error as NodeJS.ErrnoException;
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
  if (syscall !== undefined && READS.has(syscall) && !ABSENT.has(code ?? '')) {
    return new MamError('file.unreadable', `Could not read: ${message}.`, {}, { cause: error });
  }
  if (code !== undefined && CANNOT_WRITE.has(code)) {
    return new MamError(
      'registry.unwritable',
      `Could not write: ${message}.`,
      {},
      { cause: error, ...hintOf(code, path) },
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

function hintOf(code: string, path: string | undefined): { readonly hint?: string } {
  const hint = writeHint(code, path);
  return hint === undefined ? {} : { hint };
}
