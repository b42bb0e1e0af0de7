import type { Owner, ProcessIdentity } from '../domain/owner.ts';

/** What nobody but its holder may resume: a conversation in one of an agent's folders. */
export interface ConversationKey {
  readonly agent: string;
  /** Absolute path of the folder that the agent keeps its conversations in: one for each profile. */
  readonly folder: string;
  readonly conversationId: string;
}

export interface ConversationClaim extends ConversationKey {
  readonly workspaceId: string;
  /** Folder of the holder's workspace, for people. */
  readonly workspaceRoot: string;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly launch: string;
  /** The command that took it, and when: it counts until the launch's processes are there. */
  readonly owner: Owner;
  readonly takenAtMs: number;
  /** Of an agent that somebody else started: nothing else of it carries the launch. */
  readonly agentProcess: ProcessIdentity | null;
}

/** Who holds which conversation, over all workspaces of this user. */
export interface Claims {
  /** Who holds it, if anybody. @throws {MamError} As `take`. */
  find(key: ConversationKey): ConversationClaim | undefined;
  /**
   * Takes a conversation, unless somebody else holds it.
   *
   * @param isOver - Whether a holder's claim may be replaced; asked while nobody else can take it.
   * @returns The holder that stands in the way; undefined when it was taken.
   * @throws {MamError} `registry.busy`, `registry.unwritable`, `registry.damaged`.
   */
  take(
    claim: ConversationClaim,
    isOver: (holder: ConversationClaim) => boolean,
  ): ConversationClaim | undefined;
  /** Forgets every claim of a launch. @throws {MamError} As `take`. */
  release(launch: string): void;
}
