import * as z from 'zod/mini';
import { defaultSettings, type Settings } from '../domain/settings.ts';

const MAX_TIMEOUT_S = 86_400;

/** The one list of settings: `mam help config` prints it, and an unknown key is an error. */
export const configSchema = z.strictObject({
  create: z.optional(
    z.strictObject({
      permissions: z.optional(z.enum(['skip', 'ask'])),
      trust: z.optional(z.enum(['workspace', 'ask'])),
      timeout_s: z.optional(z.number().check(z.positive(), z.maximum(MAX_TIMEOUT_S))),
    }),
  ),
  tmux: z.optional(
    z.strictObject({
      path: z.optional(z.string().check(z.minLength(1))),
      control_mode: z.optional(z.boolean()),
    }),
  ),
  log: z.optional(z.strictObject({ level: z.optional(z.enum(['warn', 'debug'])) })),
});

export type ConfigFile = z.infer<typeof configSchema>;

export interface SettingDoc {
  readonly key: string;
  readonly values: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** What `mam help config` says; a test holds it against the schema. */
export const settingDocs: readonly SettingDoc[] = [
  {
    key: 'create.permissions',
    values: 'skip | ask',
    fallback: defaultSettings.create.permissions,
    meaning:
      'whether an agent asks before it acts; skip starts it with its own "skip permissions" flag',
  },
  {
    key: 'create.trust',
    values: 'workspace | ask',
    fallback: defaultSettings.create.trust,
    meaning:
      'workspace: the agent\'s own "do you trust this folder" is answered yes for folders inside a workspace that you made with mam init; ask: it waits for mam answer',
  },
  {
    key: 'create.timeout_s',
    values: 'seconds',
    fallback: String(defaultSettings.create.timeoutMs / 1000),
    meaning: 'how long create and resume wait until the agent is ready',
  },
  {
    key: 'tmux.path',
    values: 'program or absolute path',
    fallback: defaultSettings.tmux.path,
    meaning: 'which tmux is used',
  },
  {
    key: 'tmux.control_mode',
    values: 'true | false',
    fallback: String(defaultSettings.tmux.controlMode),
    meaning: 'whether the monitor keeps one connection to tmux; false: a process for each look',
  },
  {
    key: 'log.level',
    values: 'warn | debug',
    fallback: defaultSettings.log.level,
    meaning: 'what is written to standard error',
  },
];

export function toSettings(config: ConfigFile): Settings {
  const { create, tmux, log } = config;
  return {
    create: {
      permissions: create?.permissions ?? defaultSettings.create.permissions,
      trust: create?.trust ?? defaultSettings.create.trust,
      timeoutMs:
        create?.timeout_s === undefined
          ? defaultSettings.create.timeoutMs
          : Math.round(create.timeout_s * 1000),
    },
    tmux: {
      path: tmux?.path ?? defaultSettings.tmux.path,
      controlMode: tmux?.control_mode ?? defaultSettings.tmux.controlMode,
    },
    log: { level: log?.level ?? defaultSettings.log.level },
  };
}
