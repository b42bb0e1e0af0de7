import * as z from 'zod/mini';
import { MamError } from '../domain/errors.ts';

const schema = z.object({
  v: z.literal(1),
  id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  /** Real path of the `.mam` folder when it was made. */
  path: z.string().check(z.startsWith('/')),
  device: z.number(),
  inode: z.number(),
});

/** `.mam/workspace.json`, and the note of it in `~/.mam/trust/workspaces`. */
export type WorkspaceFile = z.infer<typeof schema>;

/** @throws {MamError} `workspace.untrusted`: a file we did not write so. */
export function parseWorkspaceFile(text: string, path: string): WorkspaceFile {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new MamError(
      'workspace.untrusted',
      `${path} cannot be read as a workspace's identity.`,
      { path },
      { cause: error, hint: 'Remove the file and run mam init to give the workspace a new id.' },
    );
  }
}
