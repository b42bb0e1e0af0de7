import * as z from 'zod/mini';
import { defaultSettings, noticeKinds, type Settings } from '../domain/settings.ts';

const MAX_TIMEOUT_S = 86_400;
const MAX_RESUMES = 100;

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
  activity: z.optional(
    z.strictObject({
      stale_s: z.optional(z.number().check(z.positive(), z.maximum(MAX_TIMEOUT_S))),
    }),
  ),
  policies: z.optional(
    z.strictObject({
      adopt: z.optional(z.boolean()),
      auto_resume: z.optional(z.boolean()),
      auto_resume_max: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_RESUMES))),
      resume_at_start: z.optional(z.boolean()),
      limit_lift: z.optional(z.boolean()),
    }),
  ),
  notify: z.optional(
    z.strictObject({
      on: z.optional(z.array(z.enum(noticeKinds))),
      command: z.optional(z.array(z.string().check(z.minLength(1)))),
      webhook: z.optional(z.url({ protocol: /^https?$/ })),
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
    key: 'activity.stale_s',
    values: 'seconds',
    fallback: String(defaultSettings.activity.staleMs / 1000),
    meaning:
      'after how long without any sign an agent that is at work is said to be stale, and a notice tells',
  },
  {
    key: 'policies.adopt',
    values: 'true | false',
    fallback: String(defaultSettings.policies.adopt),
    meaning: 'whether sessions on our tmux server that nobody recorded are taken in',
  },
  {
    key: 'policies.auto_resume',
    values: 'true | false',
    fallback: String(defaultSettings.policies.autoResume),
    meaning:
      'whether the monitor resumes a session whose agent crashed, or whose tmux server went away',
  },
  {
    key: 'policies.auto_resume_max',
    values: `1 to ${MAX_RESUMES}`,
    fallback: String(defaultSettings.policies.autoResumeMax),
    meaning: 'the brake: at most so many resumes of one session in an hour, whoever asks for them',
  },
  {
    key: 'policies.resume_at_start',
    values: 'true | false',
    fallback: String(defaultSettings.policies.resumeAtStart),
    meaning:
      'whether a monitor that begins resumes what ran when the machine or the tmux server went down',
  },
  {
    key: 'policies.limit_lift',
    values: 'true | false',
    fallback: String(defaultSettings.policies.limitLift),
    meaning:
      'whether an agent is told to continue when its usage limit has lifted, unless it does so by itself',
  },
  {
    key: 'notify.on',
    values: `list of ${noticeKinds.join(', ')}`,
    fallback: 'all',
    meaning: 'what the monitor tells the command or the webhook of',
  },
  {
    key: 'notify.command',
    values: 'list: program, arguments',
    fallback: 'none',
    meaning: 'run for each notice, with MAM_NOTICE (JSON), MAM_EVENT, MAM_SESSION, MAM_MESSAGE',
  },
  {
    key: 'notify.webhook',
    values: 'http(s) URL',
    fallback: 'none',
    meaning: 'each notice is posted there as JSON; content and text are what chats show',
  },
  {
    key: 'log.level',
    values: 'warn | debug',
    fallback: defaultSettings.log.level,
    meaning: 'what is written to standard error',
  },
];

export function toSettings(config: ConfigFile): Settings {
  const { create, tmux, activity, policies, notify, log } = config;
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
    activity: {
      staleMs:
        activity?.stale_s === undefined
          ? defaultSettings.activity.staleMs
          : Math.round(activity.stale_s * 1000),
    },
    policies: {
      adopt: policies?.adopt ?? defaultSettings.policies.adopt,
      autoResume: policies?.auto_resume ?? defaultSettings.policies.autoResume,
      autoResumeMax: policies?.auto_resume_max ?? defaultSettings.policies.autoResumeMax,
      resumeAtStart: policies?.resume_at_start ?? defaultSettings.policies.resumeAtStart,
      limitLift: policies?.limit_lift ?? defaultSettings.policies.limitLift,
    },
    notify: {
      on: notify?.on ?? defaultSettings.notify.on,
      command: notify?.command ?? defaultSettings.notify.command,
      webhook: notify?.webhook ?? defaultSettings.notify.webhook,
    },
    log: { level: log?.level ?? defaultSettings.log.level },
  };
}
