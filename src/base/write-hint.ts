import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the file system, or SQLite, says of a place that may not be written. @see open(2), sqlite3.h */
const NO_RIGHT = /^(?:EACCES|EPERM|SQLITE_(?:CANTOPEN|READONLY|PERM)\w*)$/;
const NO_ROOM = /^(?:ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/;

/**
 * What can be done about a write that failed; undefined when nothing is known.
 *
 * @param path - What was to be written: where it is not there yet, the folder that is named is the nearest
 *   one that is.
 */
export function writeHint(code: string, path: string | undefined): string | undefined {
  if (path === undefined) return NO_ROOM.test(code) ? 'Make room on the disk' : undefined;
  const place = nearestExisting(path);
  if (NO_RIGHT.test(code)) {
    return `Make ${place} writable for you (chmod u+w, chown), or use another place: --workspace DIR, MAM_HOME`;
  }
  if (code === 'EROFS') return `${place} is on a file system that is mounted read-only`;
  return NO_ROOM.test(code) ? `Make room on the disk of ${place}` : undefined;
}

function nearestExisting(path: string): string {
  let place = path;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}
