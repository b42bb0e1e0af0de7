import { type Workspace, workspacePaths } from '../../domain/workspace.ts';
import type { Files } from '../../ports/files.ts';
import { faceStamp } from '../../protocol/face-stamp.ts';
import { readFaceRevision } from '../../protocol/yaml-face.ts';

/** Whether somebody edited the YAML face: by its identity, and only where that is another, by its hash. */
export function isFaceEdited(workspace: Workspace, files: Files): boolean {
  const path = workspacePaths.face(workspace.stateFolder);
  const stat = files.stat(path);
  if (!stat) return false;
  const now = faceStamp(stat.inode, stat.sizeBytes, stat.modifiedMs);
  if (files.readText(workspacePaths.faceStamp(workspace)) === now) return false;
  return readFaceRevision(files.readText(path) ?? '') === undefined;
}
