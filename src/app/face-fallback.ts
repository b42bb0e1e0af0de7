import { isMamError, MamError } from '../domain/errors.ts';
import type { Session } from '../domain/session.ts';
import { type Workspace, workspacePaths } from '../domain/workspace.ts';
import type { Files } from '../ports/files.ts';
import { readFaceSessions, type UnreadableEntry } from '../protocol/yaml-face-reader.ts';

/**
 * What the newest face that can be read tells, where the database tells nothing.
 *
 * @returns `said`: why it is not the database that answers, and what may be missing.
 * @throws {MamError} `trouble` where there is no face; `registry.damaged` where none can be read.
 */
export function readNewestFace(
  files: Files,
  { stateFolder }: Workspace,
  conversationKeys: Readonly<Record<string, string>>,
  trouble: MamError,
): { readonly sessions: readonly Session[]; readonly said: string } {
  const face = workspacePaths.face(stateFolder);
  const problems: string[] = [];
  for (const path of [face, `${face}.bak`]) {
    try {
      const text = files.readText(path);
      if (text === undefined) continue;
      const { sessions, unreadable } = readFaceSessions({ path, text }, conversationKeys);
      const from = `These sessions are from ${path} as it was last written; later changes, and what runs, may be missing.`;
      const said = [trouble.message, ...problems, from, ...unreadable.map(leftOut)].join(' ');
      return { sessions, said };
    } catch (error) {
      if (!isMamError(error)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) throw trouble;
  throw new MamError(
    'registry.damaged',
    `${trouble.message} Nor can its readable face be used: ${problems.join(' ')}`,
    { ...trouble.details, face },
    {
      cause: trouble,
      hint: 'Mend the named line, or put back a copy of the database or of this file; keep what is there.',
    },
  );
}

function leftOut({ entry, line, fields }: UnreadableEntry): string {
  const why = fields.length === 0 ? 'it is no entry' : `not as they must be: ${fields.join(', ')}`;
  return `"${entry}" (line ${line}) is left out: ${why}.`;
}
