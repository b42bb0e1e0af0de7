/** Where Claude Code keeps its files: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configDir(env: Readonly<Record<string, string>>): string {
  return env.CLAUDE_CONFIG_DIR || `${env.HOME ?? ''}/.claude`;
}

/**
 * Where its main file may be, which holds trust and the last conversation of each folder: in a folder that
 * `CLAUDE_CONFIG_DIR` names, else beside it.
 */
export function mainFiles(configDir: string): readonly string[] {
  return [`${configDir}/.claude.json`, `${configDir.replace(/\/[^/]*$/, '')}/.claude.json`];
}

const LONGEST_KEY = 200;

/**
 * Name of a project's folder below `projects/`: each UTF-16 unit outside `[A-Za-z0-9]` becomes `-`, so
 * different folders can share a key. A longer one is cut and gets a hash of the whole path.
 *
 * @param realPath - Links resolved, as Claude does before it makes the key.
 */
export function projectKey(realPath: string): string {
  const path = realPath.normalize('NFC');
  const key = path.replace(/[^A-Za-z0-9]/g, '-');
  if (key.length <= LONGEST_KEY) return key;
  return `${key.slice(0, LONGEST_KEY)}-${Math.abs(stringHash(path)).toString(36)}`;
}

/** The 32-bit hash of Java's `String.hashCode`; read from the 2.1.197 program. */
function stringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = ((hash << 5) - hash + text.charCodeAt(i)) | 0;
  return hash;
}
