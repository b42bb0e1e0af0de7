import type { Files } from '../../ports/files.ts';

/** What was done to a file of the user's settings of an agent. @param userFolder - `~/.mam` */
export function recordPath(userFolder: string, agent: string): string {
  return `${userFolder}/hooks/${agent}.json`;
}

/** Whether our hooks were put there, and not taken out again by us. */
export function isRecorded(
  { files, userFolder }: { readonly files: Files; readonly userFolder: string },
  agent: string,
): boolean {
  return files.stat(recordPath(userFolder, agent)) !== undefined;
}
