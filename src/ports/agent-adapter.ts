import type { ActivityState } from '../domain/activity.ts';
import type { HookFact } from '../domain/hook-fact.ts';
import type { Screen } from '../domain/screen.ts';
import type { HookInstallation } from './hook-installation.ts';

/**
 * One agent CLI, as data and pure functions: no I/O happens here. Services run what an adapter
 * describes. Outside `src/agents/` no code asks which agent it is dealing with.
 */
export interface AgentAdapter {
  readonly kind: string;
  readonly card: CapabilityCard;
  /** The command line, the files of the launch folder and the variables of one start. */
  planLaunch(request: LaunchRequest): LaunchPlan;
  /** What the screen shows. A screen that no rule matches is `unknown`, never a guess. */
  readScreen(screen: Screen): ScreenReading;
  /** What a hook's payload says; `undefined` when it is not of this agent or cannot be read. */
  readHook(event: string, payload: unknown): HookFact | undefined;
  /** Hooks that no launch can bring along: the user's own settings must name them. */
  readonly hookInstallation?: HookInstallation;
  /** How `text` is typed and how its arrival is recognised. */
  planTyping(text: string): TypingPlan;
  /** True when the composer shows exactly what the plan typed, folded or not, and nothing else. */
  composerHolds(composer: Composer, plan: TypingPlan): boolean;
  readonly store: ConversationStore;
  /** The CLI's own live state file, where it keeps one. */
  readonly stateFile?: StateFile;
  /** Checks made before anything is created; the cheap ones at every create. */
  preflight(request: PreflightRequest): readonly Probe[];
}

/** What the rest of mam must know about an agent; a user-made agent supplies the same as YAML. */
export interface CapabilityCard {
  /** Program names looked for on PATH, in this order; an absolute path is taken as it is. */
  readonly binaries: readonly string[];
  /** How the conversation id is known: chosen by us at launch, or learnt from a hook or the store. */
  readonly conversationId: 'minted' | 'hook' | 'store';
  /** Key of the conversation id in the YAML face, for example `claude_session_id_own`. */
  readonly conversationIdKey: string;
  /** Whose word decides which launch an event belongs to: its path, or the id in its payload. */
  readonly hookIdentity: 'path' | 'payload';
  /** The hook that tells that the agent is up; without one the composer alone is the sign. */
  readonly readyHook: boolean;
  /** Whether files that describe MCP servers can be given to one launch of it. */
  readonly takesMcpFiles: boolean;
  /** Largest text typed into the composer, bytes; a larger one is refused. */
  readonly inlineLimitBytes: number;
  /** Pause between the paste and Enter. */
  readonly enterDelayMs: number;
  /** How long evidence is waited for after each Enter. */
  readonly evidenceTimeoutMs: number;
  /** Whether the composer can be read from the screen. */
  readonly composer: 'readable' | 'opaque';
  /** What asks the agent to quit: typed by `planTyping` when it is idle and its composer empty. */
  readonly quit: { readonly text: string };
  /** Which process gets TERM when the agent is not idle: the agent itself or its child. */
  readonly termTarget: 'agent' | 'child';
  /** Names of caller's variables that this agent needs; `*` at the end stands for any rest. */
  readonly envPass: readonly string[];
  /** Markers of this agent's own environment that no other agent may inherit. */
  readonly envMarkers: readonly string[];
  /** Programs shared by several sessions, by a distinctive argument: never ended with one session. */
  readonly sharedDaemons: readonly string[];
  /** How long a dialog that has just been drawn may take no key. Milliseconds. */
  readonly dialogSettleMs: number;
  /** How long after a usage limit has lifted an agent that goes on by itself may take. Milliseconds. */
  readonly limitGraceMs: number;
  /** Known dialogs, and the words (not positions) that answer each. */
  readonly dialogs: readonly DialogRule[];
}

export interface DialogRule {
  readonly id: string;
  /** `approval`: yes or no; `answer`: one of several, or free text. */
  readonly kind: 'approval' | 'answer';
  /** What `yes` and `no` mean here, by the option's own words. */
  readonly yes?: RegExp;
  readonly no?: RegExp;
  /**
   * Who may answer it without a person. `trust`: by the setting `create.trust`; `skip`: in a session
   * whose permissions are `skip`; `seeded`: always yes, it only confirms what the caller passed in;
   * `never`: only `mam answer`.
   */
  readonly policy: 'trust' | 'skip' | 'seeded' | 'never';
  /** The agent loses what follows an answer that comes before its conversation's file is there. */
  readonly afterConversation?: true;
  /** Reason shown while it waits, for example `trust`, `permission`, `question`, `login`. */
  readonly detail: string;
}

export interface Dialog {
  readonly rule: DialogRule;
  /** The question as shown, one line. */
  readonly title: string;
  /** Options top first, numbers and marks removed. */
  readonly options: readonly DialogOption[];
  /** What tells it from one that asks the same in the same words, such as the command that it is about. */
  readonly occurrence?: string;
}

export interface DialogOption {
  readonly label: string;
  /** True for the one that the confirm key would take. */
  readonly marked: boolean;
  /** A key that takes this option at once, where the dialog has no mark to move; see `PressRequest.key`. */
  readonly key?: string;
}

export interface Composer {
  /** The draft as shown, rows joined by newlines; ghost text and the cursor's cell left out. */
  readonly text: string;
  readonly empty: boolean;
  /** Index of its first row on the screen: what stands above is the conversation. */
  readonly row?: number;
  /** The sign in front of it: a prompt, or a mode in which text is not a prompt. */
  readonly mode: 'prompt' | 'shell' | 'other';
}

export interface ScreenReading {
  readonly state: ActivityState;
  readonly detail?: string;
  readonly dialog?: Dialog;
  /** Undefined when no composer is visible. */
  readonly composer?: Composer;
  /**
   * Something of the agent's own, such as a survey, takes the keys that are meant for the composer until
   * this one puts it away. The rest of the reading is as if it were not there.
   */
  readonly dismissKey?: DismissKey;
  /** The conversation that it was to resume and says that it does not have; it began another. */
  readonly notFound?: string;
}

/** Harmless where it lands by mistake. */
export type DismissKey = '0';

export interface LaunchRequest {
  /** The session's name, for agents that show one. */
  readonly sessionName: string;
  readonly conversation:
    | { readonly kind: 'new'; readonly id: string }
    | { readonly kind: 'resume'; readonly id: string };
  /** Real path of the working directory. */
  readonly cwd: string;
  readonly permissions: 'skip' | 'ask';
  readonly model?: string;
  readonly extraArgs: readonly string[];
  /** Absolute paths: the program, the launch folder, the hook script in it, MCP files of the user. */
  readonly binary: string;
  readonly launchDir: string;
  readonly hookScript: string;
  readonly mcpFiles: readonly string[];
  /** The environment the agent will have. */
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchPlan {
  readonly argv: readonly string[];
  /** Written into the launch folder before the start, owner-only; a name may lead into a folder below it. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
  /** Symbolic links made there as well; what they lead to may be missing. */
  readonly links?: readonly { readonly name: string; readonly target: string }[];
  readonly env: Readonly<Record<string, string>>;
}

export interface TypingPlan {
  /** `prompt`: text for the model; `command`: one of the agent's own slash commands. */
  readonly kind: 'prompt' | 'command';
  /** Exactly what is given to the terminal. */
  readonly typed: string;
  /** `paste`: bracketed paste; `keys`: as keystrokes, for what a paste would not trigger. */
  readonly via: 'paste' | 'keys';
  /** SHA-256 (hex) of the text in the agent's normal form, equal to that of its hook. */
  readonly hash: string;
  /** `hook`: a submission fires one; `screen`: none comes, so composer empty and screen changed. */
  readonly evidence: 'hook' | 'screen';
  /** Pause before Enter, when it differs from the card's. */
  readonly enterDelayMs?: number;
}

export interface StoreQuery {
  readonly conversationId: string;
  /** Real path of the directory the conversation was started in. */
  readonly cwd: string;
  /** The store's own folder. */
  readonly folder: string;
}

/** Where the agent keeps conversations. Paths are absolute; `*` stands for one path component. */
export interface ConversationStore {
  /** The folder that an agent with this environment keeps everything in. */
  folder(env: Readonly<Record<string, string>>): string;
  /**
   * A resume leaves a second file of the conversation without a message, for which a later start of the
   * agent deletes both: mam removes it, and keeps a copy meanwhile.
   */
  readonly leavesStubs?: boolean;
  /** Where the conversation's file must be, most likely first. */
  paths(query: StoreQuery): readonly string[];
  /** Patterns of the files of all conversations; only what they match is ever searched. */
  all(folder: string): readonly string[];
  /** The conversation that such a file holds. @param text - Its beginning. */
  idOf(path: string, text: string): string | undefined;
  /** One that only a process which is on this conversation keeps open. @returns The conversation. */
  idOfOpenFile?(path: string): string | undefined;
  /** One of these must be there as well, or the agent would not resume it. Default: nothing. */
  needs?(query: StoreQuery): readonly string[];
  /** What the file says. `messages` counts the user's and the agent's, 0 for a stub. */
  inspect(text: string): ConversationHead;
  /** Prompts in order with the hash of their normal form; for evidence after a crash. */
  prompts(text: string): readonly { readonly hash: string; readonly atMs: number }[];
  /** The answer to the last prompt, where the file has it. */
  lastAnswer(text: string): string | undefined;
  /**
   * When the usage limit lifts that ended the last turn, where the file has it. Milliseconds since 1970.
   *
   * @param tail - The end of the file; its first line may be cut.
   */
  limitUntil(tail: string): number | undefined;
  /** Files and folders that a purge removes: those of `paths`, and what belongs to them. */
  purgePaths(query: StoreQuery): readonly string[];
  /** Shared files that may quote it and are therefore left. */
  quotedIn(query: StoreQuery): readonly string[];
}

export interface ConversationHead {
  readonly messages: number;
  /** Where the agent wrote down that it was started. */
  readonly cwd?: string;
  /** SHA-256 (hex) of that path, where only this is written down. */
  readonly cwdHash?: string;
  /** The first prompt as the user wrote it. */
  readonly firstPrompt?: string;
}

export interface StateFile {
  /** @param storeFolder - See `ConversationStore.folder`. */
  path(storeFolder: string, agentPid: number): string;
  /** Glob of all such files: tells who else holds a conversation. */
  all(storeFolder: string): string;
  parse(text: string): StateFileFact | undefined;
}

export interface StateFileFact {
  readonly pid: number;
  /** Start time of the process, clock ticks since boot (field 22 of /proc/pid/stat). */
  readonly pidStart?: string;
  readonly conversationId: string;
  readonly state: ActivityState;
  readonly detail?: string;
  readonly updatedAtMs: number;
}

export interface PreflightRequest {
  readonly permissions: 'skip' | 'ask';
  readonly uid: number;
  readonly env: Readonly<Record<string, string>>;
  /** The program's file, links resolved, and the folder the agent works in. Absolute. */
  readonly binary: string;
  readonly cwd: string;
}

/** One check: decided already, or files to read or a program to run with a pure judgement of it. */
export type Probe =
  | { readonly id: string; readonly verdict: ProbeVerdict }
  | {
      readonly id: string;
      /** Absolute; one that cannot be read counts as not there. */
      readonly files: readonly string[];
      readonly level: 'fast' | 'full';
      /** @param texts - In the order of `files`; undefined for one that is not there. */
      judgeFiles(texts: readonly (string | undefined)[]): ProbeVerdict;
    }
  | {
      readonly id: string;
      /** Arguments after the binary. */
      readonly args: readonly string[];
      /** Beside the environment that the agent will have. */
      readonly env?: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      /** `fast`: at every create; `full`: in doctor and after a failed start. */
      readonly level: 'fast' | 'full';
      judge(result: {
        readonly exitCode: number | undefined;
        readonly stdout: string;
        readonly stderr: string;
      }): ProbeVerdict;
    };

export type ProbeVerdict =
  | { readonly ok: true; readonly found: string }
  | {
      readonly ok: false;
      readonly code: 'agent.version' | 'agent.logged-out' | 'agent.refuses-root' | 'agent.missing';
      readonly found: string;
      readonly needed: string;
      readonly fix: string;
    };
