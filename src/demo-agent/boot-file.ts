import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Until a file is there. Its folder must be. */
export function untilThere(path: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(path), look);
    // It may have come before the watch began.
    look();
  });
}
