import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainError } from './explain-error.ts';

/** What the file system says when a folder is taken for a file, and a file for a folder. */
function thrownBy(fn: (folder: string) => unknown): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'mam-e-'));
  try {
    fn(folder);
  } catch (error) {
    return error;
  } finally {
    rmSync(folder, { recursive: true });
  }
  throw new Error('nothing was thrown');
}

const failing = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: it failed, ${syscall} '/x/y'`), {
    code,
    syscall,
    path: '/x/y',
  });

describe('explainError', () => {
  it('calls a read a read and a write a write', () => {
    const read = thrownBy((folder) => readFileSync(folder));
    const list = failing('EACCES', 'scandir');
    const write = failing('EACCES', 'open');
    expect(explainError(read)).toMatchObject({
      code: 'file.unreadable',
      message: expect.stringMatching(/^Could not read: EISDIR/),
    });
    expect(explainError(list)).toMatchObject({ code: 'file.unreadable' });
    expect(explainError(write)).toMatchObject({
      code: 'registry.unwritable',
      message: expect.stringMatching(/^Could not write: EACCES/),
    });
    expect(explainError(failing('ENOSPC', 'write'))).toMatchObject({ code: 'registry.unwritable' });
  });

  it('says what to do about a place that cannot be written, or is full', () => {
    const hintOf = (code: string) => explainError(failing(code, 'open')).hint;
    expect(hintOf('EACCES')).toMatch(/^Make \/ writable for you/);
    expect(hintOf('ENOSPC')).toBe('Make room on the disk of /');
    expect(hintOf('EROFS')).toMatch(/^\/ is .* read-only$/);
    expect(hintOf('EMFILE')).toBeUndefined();
  });

  it('leaves what it does not know a bug, with its cause', () => {
    const error = new TypeError('x is undefined');
    expect(explainError(error)).toMatchObject({ code: 'internal.bug', cause: error });
    const missing = thrownBy((folder) => readdirSync(join(folder, 'none')));
    expect(explainError(missing)).toMatchObject({ code: 'internal.bug' });
  });
});
