type Env = Readonly<Record<string, string>>;

/** Where a user's Cline files are: `CLINE_DIR`, else `~/.cline`. */
export function clineDir(env: Env): string {
  return env.CLINE_DIR?.trim() || `${env.HOME ?? ''}/.cline`;
}

/** Providers, settings and conversations: `CLINE_DATA_DIR`, else `data` in the former. */
export function dataDir(env: Env): string {
  return env.CLINE_DATA_DIR?.trim() || `${clineDir(env)}/data`;
}
