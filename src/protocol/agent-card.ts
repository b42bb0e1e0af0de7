/**
 * An agent as data: what a person writes in `.mam/agents/<kind>.yaml`. Its schema is
 * agent-card-schema.ts, its description docs/agents.md. Patterns are JavaScript regular
 * expressions with the flags `m` and `u`, matched against one row of the screen, its trailing blanks cut.
 */
export interface AgentCard {
  readonly v: 1;
  /** What people call it. */
  readonly name: string;
  readonly binaries: readonly string[];
  readonly version?: CardVersion;
  readonly login?: CardLogin;
  readonly launch: CardLaunch;
  readonly conversation: CardConversation;
  readonly typing?: CardTyping;
  readonly screen: CardScreen;
  /** Typed when it is idle, to end it. */
  readonly quit: string;
  readonly processes?: {
    /** Which process gets TERM: the program itself, or the child that an npm script waits for. */
    readonly term?: 'agent' | 'child';
    readonly shared_daemons?: readonly string[];
  };
  readonly env?: {
    /** Of the caller's variables, what it needs; `*` at the end stands for any rest. */
    readonly pass?: readonly string[];
    /** What it sets for its own tools, and no other agent may inherit. */
    readonly own?: readonly string[];
  };
}

export interface CardVersion {
  readonly args: readonly string[];
  readonly oldest: string;
  /** What brings a newer one. */
  readonly fix: string;
  /** `fast`: also at each create. Default `full`: in doctor, and after a failed start. */
  readonly level?: 'fast' | 'full';
}

export interface CardLogin {
  readonly args: readonly string[];
  /** What it prints when nobody is logged in. */
  readonly logged_out: string;
  readonly fix: string;
  readonly level?: 'fast' | 'full';
}

/** Words of the command line; `{id}`, `{model}`, `{cwd}` and `{launch}` stand for what they say. */
export interface CardLaunch {
  readonly args?: readonly string[];
  readonly ask?: readonly string[];
  readonly skip?: readonly string[];
  readonly model?: readonly string[];
  /** Last on the line. */
  readonly new?: readonly string[];
  readonly resume: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface CardConversation {
  /** `minted`: mam gives it the id with `launch.new`; `store`: it makes one, and mam finds it. */
  readonly id: 'minted' | 'store';
  readonly id_pattern?: string;
  /** `$VARIABLE` or `~/path`; the first whose variable is set. */
  readonly folder: readonly string[];
  /** Below the folder, `*` for one name or a part of it, `{id}` for the conversation. */
  readonly files: readonly string[];
  /** Records of a file: JSON, one a line. */
  readonly cwd?: Pick;
  readonly prompt: Pick;
  readonly answer?: Pick;
  /** Key of a record's time, ISO 8601. */
  readonly time: string;
  /** Files of the folder that quote conversations and are left by a purge. */
  readonly quoted_in?: readonly string[];
}

/** A text of a record: keys with dots between; of a list each of its members, one after the other. */
export interface Pick {
  readonly when?: Readonly<Record<string, string>>;
  readonly at: string;
}

export interface CardTyping {
  /** Between paste and Enter. */
  readonly enter_delay_ms?: number;
  readonly evidence_timeout_ms?: number;
  readonly inline_limit_bytes?: number;
  /** The first word of a line that runs one of its commands. */
  readonly command?: string;
  /** What a text may not begin or end with, and what is put there; the agent must cut it. */
  readonly guards?: readonly CardGuard[];
  /** A longer text is shown as a placeholder. */
  readonly fold?: {
    readonly above_chars: number;
    /** `{chars}` stands for its length in code points. */
    readonly shows: string;
  };
  /** The most rows of a draft that are surely shown; more is made long enough to be folded. */
  readonly rows?: number;
}

export interface CardGuard {
  readonly text: string;
  readonly before?: string;
  readonly behind?: string;
}

export interface CardScreen {
  readonly composer: CardComposer;
  /** The last filled row above the composer while it works. */
  readonly working: readonly string[];
  /** A row since the last prompt that says that a usage limit is reached. */
  readonly limited?: string;
  readonly dialogs?: readonly CardDialog[];
}

export interface CardComposer {
  /** What stands in front of a prompt, for example `›`; in the conversation it is dim. */
  readonly sign: string;
  /** In front of what it would run in a shell. */
  readonly shell_sign?: string;
  /** Rows below it, parted from it by a blank one: each matches one of these, or is blank. */
  readonly below: readonly string[];
  /** A row right above it of a list that takes Enter. */
  readonly menu?: string;
}

export interface CardDialog {
  readonly id: string;
  /** The last filled row of the screen. */
  readonly hint: string;
  /** Its first row. */
  readonly title: string;
  /** What stands in front of the chosen option. */
  readonly mark: string;
  readonly yes?: string;
  readonly no?: string;
  readonly policy?: 'trust' | 'skip' | 'never';
  /** Default: the id. */
  readonly detail?: string;
}
