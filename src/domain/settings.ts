/** What `.mam/config.yaml` can set, with its defaults filled in. */
export interface Settings {
  readonly create: {
    /** `ask` until a gate can be installed and proven (docs/decisions/0005). */
    readonly permissions: 'skip' | 'ask';
    /** Who answers an agent's own question whether it trusts the folder. */
    readonly trust: 'workspace' | 'ask';
    readonly timeoutMs: number;
  };
  readonly tmux: { readonly path: string };
  readonly log: { readonly level: 'warn' | 'debug' };
}

export const defaultSettings: Settings = {
  create: { permissions: 'ask', trust: 'workspace', timeoutMs: 60_000 },
  tmux: { path: 'tmux' },
  log: { level: 'warn' },
};
