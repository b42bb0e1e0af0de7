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
  readonly activity: {
    /** An agent at work that gives no sign for so long is `stale`. */
    readonly staleMs: number;
  };
  /** What the monitor does by itself. */
  readonly policies: {
    /** Sessions on our server that nobody recorded. */
    readonly adopt: boolean;
    /** After a crash of an agent, or of the tmux server while the monitor runs. */
    readonly autoResume: boolean;
    /** At most so often an hour for each session. */
    readonly autoResumeMax: number;
    /** What was running when the machine or the server went down, when the monitor begins. */
    readonly resumeAtStart: boolean;
    /** Tells an agent to go on when its usage limit has lifted. */
    readonly limitLift: boolean;
  };
  /** Whom the monitor tells of what needs a person. */
  readonly notify: {
    readonly on: readonly NoticeKind[];
    /** An argument list; empty: none. */
    readonly command: readonly string[];
    /** Empty: none. */
    readonly webhook: string;
  };
  readonly log: { readonly level: 'warn' | 'debug' };
}

export const noticeKinds = [
  'awaiting-approval',
  'awaiting-answer',
  'limited',
  'stale',
  'exited',
  'policy',
  'drift',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export const defaultSettings: Settings = {
  create: { permissions: 'ask', trust: 'workspace', timeoutMs: 60_000 },
  tmux: { path: 'tmux', controlMode: true },
  activity: { staleMs: 600_000 },
  policies: {
    adopt: true,
    autoResume: false,
    autoResumeMax: 3,
    resumeAtStart: false,
    limitLift: false,
  },
  notify: { on: noticeKinds, command: [], webhook: '' },
  log: { level: 'warn' },
};

/**
 * What runs a program, sends something away, starts an agent or lets it act unasked is the user's to say,
 * not a repository's: those settings of a workspace that came from elsewhere fall back to their defaults.
 *
 * @returns The settings to use, and the keys that were set aside.
 */
export function withoutPowers(settings: Settings): {
  readonly settings: Settings;
  readonly ignored: readonly string[];
} {
  const { create, tmux, policies, notify } = settings;
  const { create: ownCreate, tmux: ownTmux, ...own } = defaultSettings;
  const powers: readonly (readonly [string, boolean])[] = [
    ['create.permissions', create.permissions !== ownCreate.permissions],
    ['tmux.path', tmux.path !== ownTmux.path],
    ['policies', !isEqual(policies, own.policies)],
    ['notify', !isEqual(notify, own.notify)],
  ];
  const usable: Settings = {
    create: { ...create, permissions: ownCreate.permissions },
    tmux: { ...tmux, path: ownTmux.path },
    activity: settings.activity,
    policies: own.policies,
    notify: own.notify,
    log: settings.log,
  };
  return { settings: usable, ignored: powers.filter(([, is]) => is).map(([key]) => key) };
}

function isEqual(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
