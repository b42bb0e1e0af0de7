import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';

/** @returns Undefined when it is not there. @throws on other failures. */
export function readIfThere(path: string): string | undefined {
  try {
    if (statSync(path).isFIFO()) throw notAFile(path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reading it would wait for a writer, without a signal that could end it. */
export function notAFile(path: string): Error {
  return Object.assign(new Error(`ENXIO: not a file but a pipe, open '${path}'`), {
    code: 'ENXIO',
  });
}

/** A rename survives a power cut only when its folder was flushed. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
