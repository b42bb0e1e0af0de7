import { MamError } from '../../domain/errors.ts';
import { workspacePaths } from '../../domain/workspace.ts';
import type { Files } from '../../ports/files.ts';

/**
 * A face without a database means that the database was lost: beginning from nothing would hide every
 * session there was.
 *
 * @throws {MamError} `registry.damaged`
 */
export function assertRegistryNotLost(stateFolder: string, files: Files): void {
  const database = workspacePaths.database(stateFolder);
  const isThere = (files.stat(database)?.sizeBytes ?? 0) > 0;
  if (isThere) return;
  const face = [workspacePaths.face(stateFolder), `${workspacePaths.face(stateFolder)}.bak`].find(
    (path) => files.stat(path),
  );
  if (face === undefined) return;
  throw new MamError(
    'registry.damaged',
    `The registry ${database} is gone or empty, but ${face} tells of sessions; nothing was changed.`,
    { path: database, face },
    { hint: 'Put the database back, or move both YAML files away to begin anew.' },
  );
}
