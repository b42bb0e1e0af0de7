import { randomBytes } from 'node:crypto';
import { MamError } from '../../domain/errors.ts';
import { parentOf, type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { Files } from '../../ports/files.ts';
import type { WorkspaceFile } from '../../protocol/workspace-file.ts';
import { asStateFolder } from './find.ts';
import {
  assertOwner,
  openWorkspace,
  readIdentity,
  trustPath,
  type WorkspaceContext,
} from './open.ts';

const IGNORED = `# Run-time state of mam; the settings and what you put beside them are kept.
*
!.gitignore
!config.yaml
!agents/
!agents/**
!hooks/
!hooks/**
!guards/
!guards/**
!rules/
!rules/**
!MEMORY.md
`;

/** Every file of the registry: a copied workspace starts without the original's sessions. */
const REGISTRY_FILES = ['agent-sessions.db', 'agent-sessions.db-wal', 'agent-sessions.db-shm'];
const FACE_FILES = ['agent-sessions.yaml', 'agent-sessions.yaml.bak'];

/**
 * Makes a workspace in `folder`, or makes one that came with a clone ours. Doing it again changes
 * nothing.
 *
 * @param folder - Absolute; must exist.
 * @throws {MamError} `cwd.missing`, `workspace.untrusted` when the folder is another user's.
 */
export function initWorkspace(
  folder: string,
  defaultConfig: string,
  context: WorkspaceContext,
): Workspace {
  const { files } = context;
  const stat = files.stat(folder);
  if (stat?.kind !== 'folder') {
    throw new MamError('cwd.missing', `There is no folder ${folder}.`, { path: folder });
  }
  const stateFolder = asStateFolder(folder);
  const config = workspacePaths.config(stateFolder);
  const identity = workspacePaths.identity(stateFolder);
  return makeWhole([stateFolder, `${stateFolder}/.gitignore`, config, identity], context, () =>
    makeOurs(stateFolder, defaultConfig, context),
  );
}

function makeOurs(
  stateFolder: string,
  defaultConfig: string,
  context: WorkspaceContext,
): Workspace {
  const { files, uid } = context;
  files.makeFolder(stateFolder);
  const made = files.stat(stateFolder);
  if (made) assertOwner(stateFolder, made, uid);
  writeOnce(`${stateFolder}/.gitignore`, IGNORED, context);
  writeOnce(workspacePaths.config(stateFolder), defaultConfig, context);
  const real = files.realPath(stateFolder) ?? stateFolder;
  const known = readIdentity(real, files);
  const isCopy = known && known.path !== real && readIdentity(known.path, files)?.id === known.id;
  if (isCopy) setRegistryAside(real, context);
  register(real, known && !isCopy ? known.id : randomBytes(8).toString('hex'), context);
  return openWorkspace(real, context);
}

/** The user's own workspace needs no `init`: it is made when it is first changed. */
export function ensureUserWorkspace(defaultConfig: string, context: WorkspaceContext): void {
  const { files, userFolder } = context;
  const config = workspacePaths.config(userFolder);
  makeWhole([userFolder, config], context, () => {
    files.makeFolder(userFolder);
    if (readIdentity(userFolder, files)) return;
    writeOnce(config, defaultConfig, context);
    const real = files.realPath(userFolder) ?? userFolder;
    const identity = identityOf(real, randomBytes(8).toString('hex'), context);
    files.writeAtomic(workspacePaths.identity(real), `${JSON.stringify(identity)}\n`);
  });
}

/** Removes, when `make` fails, those of `paths` that were not there before. */
function makeWhole<T>(paths: readonly string[], { files }: WorkspaceContext, make: () => T): T {
  const fresh = paths.filter((path) => !files.stat(path));
  try {
    return make();
  } catch (error) {
    for (const path of fresh) removeQuietly(path, files);
    throw error;
  }
}

/** The failure is what is told; a workspace right below the root is not removed, only what is in it. */
function removeQuietly(path: string, files: Files): void {
  try {
    files.remove(path);
  } catch {
    // It stays.
  }
}

function register(real: string, id: string, context: WorkspaceContext): void {
  const { files, userFolder } = context;
  const text = `${JSON.stringify(identityOf(real, id, context))}\n`;
  files.writeAtomic(workspacePaths.identity(real), text);
  const consent = trustPath(userFolder, id);
  files.makeFolder(parentOf(consent));
  files.writeAtomic(consent, text);
}

function identityOf(real: string, id: string, { files }: WorkspaceContext): WorkspaceFile {
  const stat = files.stat(real);
  return { v: 1, id, path: real, device: stat?.device ?? 0, inode: stat?.inode ?? 0 };
}

function writeOnce(path: string, text: string, { files }: WorkspaceContext): void {
  if (!files.stat(path)) files.writeAtomic(path, text);
}

function setRegistryAside(real: string, { files }: WorkspaceContext): void {
  for (const name of [...REGISTRY_FILES, ...FACE_FILES]) {
    files.rename(`${real}/${name}`, `${real}/copied-${name}`);
  }
}
