import { MamError } from '../domain/errors.ts';

/** `.mam/workspace.json`, and the note of it in `~/.mam/trust/workspaces`. */
export interface WorkspaceFile {
  readonly v: 1;
  /** 16 hex digits. */
  readonly id: string;
  /** Real path of the `.mam` folder when it was made. */
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/**
 * Checked by hand: every command reads it, and a schema library would cost `mam status` more than the
 * rest of the workspace.
 *
 * @throws {MamError} `workspace.untrusted`: a file we did not write so.
 */
export function parseWorkspaceFile(text: string, path: string): WorkspaceFile {
  const file = parseJson(text);
  if (isWorkspaceFile(file)) return file;
  throw new MamError(
    'workspace.untrusted',
    `${path} cannot be read as a workspace's identity.`,
    { path },
    { hint: 'Remove the file and run mam init to give the workspace a new id.' },
  );
}

function isWorkspaceFile(value: unknown): value is WorkspaceFile {
  if (value === null || typeof value !== 'object') return false;
  const { v, id, path, device, inode } = value as Record<string, unknown>;
  return (
    v === 1 &&
    typeof id === 'string' &&
    /^[0-9a-f]{16}$/.test(id) &&
    typeof path === 'string' &&
    path.startsWith('/') &&
    typeof device === 'number' &&
    typeof inode === 'number'
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
