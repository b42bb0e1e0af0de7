import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { notAFile, syncFolder } from '../../base/file-io.ts';
import { MamError, unreadable } from '../../domain/errors.ts';
import type { FileStat, Files } from '../../ports/files.ts';

/** @param assetFolder - Where the bundled POSIX sh files lie. */
export function nodeFiles(assetFolder: string): Files {
  return {
    // Asked first: most files that are looked for are not there, and an exception costs more.
    readText: (path) =>
      readIfThere(path, () =>
        statSync(path, { throwIfNoEntry: false }) ? readRegular(path) : undefined,
      ),
    readPart: (path, maxBytes, from) => readIfThere(path, () => readPart(path, maxBytes, from)),
    stat: (path) => readIfThere(path, () => statFile(path)),
    list: (path) => readIfThere(path, () => readdirSync(path).sort()) ?? [],
    glob,
    realPath: (path) => readIfThere(path, () => realpathSync(path)),
    makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
    writeAtomic: (path, content) => writeAtomic(path, content),
    replace,
    write: (path, content, mode) => writeFileSync(path, content, { mode, flush: true }),
    rename: (from, to) => void ifThere(() => renameSync(from, to)),
    copyAsset: (name, to) => copyFileSync(join(assetFolder, name), to),
    link: (target, path) => symlinkSync(target, path),
    remove,
    watch: watchFolder,
    waitForChange,
  };
}

/**
 * The one function that deletes. Refuses what no caller can mean: a relative path, a root, a home.
 */
function remove(path: string): void {
  const parts = path.split('/').filter((part) => part !== '');
  const isPlain = isAbsolute(path) && !parts.includes('..') && !path.includes('\0');
  if (!isPlain || parts.length < 3) {
    throw new MamError('internal.bug', `Refused to delete ${JSON.stringify(path)}.`);
  }
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    // A program that is just ending still puts files into the folder: under another name it cannot.
    const aside = `${path}.${process.pid}.tmp`;
    renameSync(path, aside);
    rmSync(aside, { recursive: true, force: true });
  }
}

function replace(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = ifThere(() => statSync(path).mode) ?? 0o600;
  writeAtomic(path, content, mode & 0o777);
}

function writeAtomic(path: string, content: string, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode, flush: true });
    // The mask of the process takes bits away from a new file.
    chmodSync(temporary, mode);
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function readPart(path: string, maxBytes: number, from: 'start' | 'end'): string {
  const handle = openSync(path, 'r');
  try {
    const size = lstatSync(path).isFile() ? statSync(path).size : maxBytes;
    const length = Math.min(size, maxBytes);
    const buffer = Buffer.alloc(length);
    const read = readSync(handle, buffer, 0, length, from === 'end' ? size - length : 0);
    return buffer.toString('utf8', 0, read);
  } finally {
    closeSync(handle);
  }
}

function readRegular(path: string): string {
  if (statSync(path).isFIFO()) throw notAFile(path);
  return readFileSync(path, 'utf8');
}

function statFile(path: string): FileStat {
  const stat = statSync(path);
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other',
    sizeBytes: stat.size,
    modifiedMs: stat.mtimeMs,
    uid: stat.uid,
    device: stat.dev,
    inode: stat.ino,
    readable: isReadable(path),
  };
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function glob(pattern: string): readonly string[] {
  let found = ['/'];
  for (const part of pattern.split('/').filter((piece) => piece !== '')) {
    found = part.includes('*')
      ? found.flatMap((folder) => matching(folder, part))
      : found.map((folder) => join(folder, part));
  }
  return found.filter((path) => readIfThere(path, () => lstatSync(path)) !== undefined);
}

function matching(folder: string, part: string): string[] {
  const literal = part.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const rule = new RegExp(`^${literal.join('[^/]*')}$`);
  const names = readIfThere(folder, () => readdirSync(folder)) ?? [];
  return names
    .filter((name) => rule.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** A folder that goes away ends its own watch; no watches left on this machine: undefined. */
function watchFolder(folder: string, onChange: () => void): Disposable | undefined {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', () => watcher.close());
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return undefined;
  }
}

function waitForChange(folder: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let watcher: ReturnType<typeof watch> | undefined;
    const timer = setTimeout(() => finish(resolve), timeoutMs);
    const onAbort = () => finish(() => reject(signal?.reason));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      watcher?.close();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      watcher = watch(folder, () => finish(resolve));
      // A folder that goes away, or no watches left on this machine: the timer remains.
      watcher.on('error', () => undefined);
    } catch {
      // The same at the start.
    }
  });
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** @throws {MamError} `file.unreadable` when it is there, or may be, and cannot be looked at. */
function readIfThere<T>(path: string, read: () => T): T | undefined {
  try {
    return ifThere(read);
  } catch (error) {
    throw unreadable(path, error);
  }
}
