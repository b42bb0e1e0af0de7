/** What `.mam/config.yaml` can set, with its defaults filled in. */
export interface Settings {
  readonly create: {
    /** `ask` until a gate can be installed and proven (docs/decisions/0005). */
    readonly permissions: 'skip' | 'ask';
    /** Who answers an agent's own question whether it trusts the folder. */
    readonly trust: 'workspace' | 'ask';
    readonly timeoutMs: number;
  };
  readonly tmux: {
    readonly path: string;
    /** Whether the monitor keeps one control client; without it each look is a process. */
    readonly controlMode: boolean;
  };
  readonly log: { readonly level: 'warn' | 'debug' };
}

export const defaultSettings: Settings = {
  create: { permissions: 'ask', trust: 'workspace', timeoutMs: 60_000 },
  tmux: { path: 'tmux', controlMode: true },
  log: { level: 'warn' },
};

/**
 * Which program runs as tmux and whether agents ask are the user's to say, not a repository's: those
 * settings of a workspace that came from elsewhere fall back to their defaults.
 *
 * @returns The settings to use, and the keys that were set aside.
 */
export function withoutPowers(settings: Settings): {
  readonly settings: Settings;
  readonly ignored: readonly string[];
} {
  const { create, tmux } = defaultSettings;
  const ignored = [
    ...(settings.create.permissions === create.permissions ? [] : ['create.permissions']),
    ...(settings.tmux.path === tmux.path ? [] : ['tmux.path']),
  ];
  const own = {
    create: { ...settings.create, permissions: create.permissions },
    tmux: { ...settings.tmux, path: tmux.path },
  };
  return { settings: { ...settings, ...own }, ignored };
}
