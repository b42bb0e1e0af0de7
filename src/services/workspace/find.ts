import { MamError } from '../../domain/errors.ts';
import { parentOf } from '../../domain/workspace.ts';
import type { Files } from '../../ports/files.ts';

export interface WorkspaceRequest {
  /** `--workspace`. */
  readonly explicit?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The folder of this user: consents, servers, and the workspace of last resort. */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.MAM_HOME ?? (env.HOME ? `${env.HOME}/.mam` : undefined);
  if (!home?.startsWith('/')) {
    throw new MamError(
      'workspace.missing',
      'Neither HOME nor MAM_HOME names an absolute path, so there is no place for state.',
      {},
      { hint: 'Set HOME, or MAM_HOME to a folder of your own.' },
    );
  }
  return home;
}

/**
 * The state folder that a command is about: `--workspace`, else `$MAM_WORKSPACE`, else the nearest
 * `.mam` at or above the working directory other than the user's own, else the user's own.
 */
export function findStateFolder(request: WorkspaceRequest, files: Files): string {
  const { explicit, env, cwd } = request;
  const named = explicit ?? env.MAM_WORKSPACE;
  if (named) return asStateFolder(resolveFrom(cwd, named));
  const own = userFolder(env);
  const ownReal = files.realPath(own) ?? own;
  for (let folder = cwd; ; folder = parentOf(folder)) {
    const candidate = folder === '/' ? '/.mam' : `${folder}/.mam`;
    const isFolder = files.stat(candidate)?.kind === 'folder';
    if (isFolder && files.realPath(candidate) !== ownReal) return candidate;
    if (folder === '/') return own;
  }
}

/** `DIR` and `DIR/.mam` mean the same workspace. */
export function asStateFolder(folder: string): string {
  return folder.endsWith('/.mam') ? folder : `${folder === '/' ? '' : folder}/.mam`;
}

export function resolveFrom(cwd: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
