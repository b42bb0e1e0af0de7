import { MamError } from '../../domain/errors.ts';
import { parentOf, type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { FileStat, Files } from '../../ports/files.ts';
import { parseWorkspaceFile, type WorkspaceFile } from '../../protocol/workspace-file.ts';

export interface WorkspaceContext {
  readonly files: Files;
  readonly uid: number;
  readonly host: string;
  /** `~/.mam` */
  readonly userFolder: string;
}

/**
 * Opens a workspace for reading or for changing.
 *
 * @throws {MamError} `workspace.missing`; `workspace.untrusted` when the folder is another user's, has
 *   no identity of its own, or is a copy of another workspace.
 */
export function openWorkspace(stateFolder: string, context: WorkspaceContext): Workspace {
  const { files } = context;
  const stat = files.stat(stateFolder);
  if (stat?.kind !== 'folder') throw missing(stateFolder, stateFolder === context.userFolder);
  assertOwner(stateFolder, stat, context.uid);
  const identity = readIdentity(stateFolder, files);
  if (!identity) {
    // Ours with what mam notes of this user alone is no workspace that came from elsewhere.
    const isNotes =
      stateFolder === context.userFolder &&
      files.stat(workspacePaths.database(stateFolder)) === undefined;
    throw isNotes ? missing(stateFolder, true) : withoutIdentity(stateFolder);
  }
  const real = files.realPath(stateFolder) ?? stateFolder;
  if (identity.path !== real && isStillThere(identity, files)) throw copied(real, identity.path);
  return {
    stateFolder: real,
    root: parentOf(real),
    id: identity.id,
    host: context.host,
    isOurs: isRegistered(identity.id, real, context),
  };
}

export function readIdentity(stateFolder: string, files: Files): WorkspaceFile | undefined {
  const path = workspacePaths.identity(stateFolder);
  const text = files.readText(path);
  return text === undefined ? undefined : parseWorkspaceFile(text, path);
}

export function trustPath(userFolder: string, workspaceId: string): string {
  return `${userFolder}/trust/workspaces/${workspaceId}.json`;
}

export function assertOwner(folder: string, stat: FileStat, uid: number): void {
  if (stat.uid === uid) return;
  throw new MamError(
    'workspace.untrusted',
    `${folder} belongs to user ${stat.uid}, and you are user ${uid}: it is not used.`,
    { path: folder },
  );
}

/** Whether this user made it, in this place: a file inside the folder could come with a repository. */
function isRegistered(id: string, real: string, { files, userFolder }: WorkspaceContext): boolean {
  const path = trustPath(userFolder, id);
  const text = files.readText(path);
  return text !== undefined && parseWorkspaceFile(text, path).path === real;
}

/** Moved when the place it was made in no longer holds it, copied when it does. */
function isStillThere(identity: WorkspaceFile, files: Files): boolean {
  return readIdentity(identity.path, files)?.id === identity.id;
}

function missing(stateFolder: string, isUsers: boolean): MamError {
  const where = parentOf(stateFolder);
  return new MamError(
    'workspace.missing',
    isUsers
      ? 'There is no workspace in this folder or above it, and none of your own yet.'
      : `There is no workspace at ${where}.`,
    { path: stateFolder },
    { hint: isUsers ? 'mam init makes one in this folder' : `mam init ${where}` },
  );
}

function withoutIdentity(stateFolder: string): MamError {
  return new MamError(
    'workspace.untrusted',
    `${stateFolder} has no workspace.json: it came with a clone or a copy and belongs to nobody yet.`,
    { path: stateFolder },
    { hint: `mam init ${parentOf(stateFolder)} makes it yours` },
  );
}

function copied(here: string, there: string): MamError {
  return new MamError(
    'workspace.untrusted',
    `${here} is a copy of ${there}, which still exists: their sessions must not be mixed.`,
    { path: here, original: there },
    { hint: `mam init ${parentOf(here)} gives the copy an id of its own, without the sessions` },
  );
}
