import type { Delivery } from '../../domain/delivery.ts';
import type { Session } from '../../domain/session.ts';
import type { RegistryReader } from '../../ports/registry.ts';

/** Times in files may lag the clock by which a text was typed. Milliseconds. */
export const FILE_TIME_SLACK_MS = 2_000;

/** A prompt for which Enter was pressed. */
export interface EnteredPrompt extends Pick<Delivery, 'hash' | 'evidence'> {
  readonly typedAtMs: number;
}

/** A prompt as the agent's store has it. */
export interface StoredPrompt {
  readonly hash: string;
  readonly atMs: number;
}

/** Prompts of the session's launch for which Enter was pressed, oldest first. */
export function enteredPrompts(reader: RegistryReader, session: Session): readonly EnteredPrompt[] {
  return entered(reader, session, 'prompt').flatMap(({ hash, evidence, typedAtMs }) =>
    typedAtMs === null ? [] : [{ hash, evidence, typedAtMs }],
  );
}

/** Whether one of the agent's own commands was entered: it may have begun another conversation. */
export function hadCommand(reader: RegistryReader, session: Session): boolean {
  return entered(reader, session, 'command').length > 0;
}

function entered(
  reader: RegistryReader,
  session: Session,
  wanted: Delivery['kind'],
): readonly Delivery[] {
  return reader
    .deliveries(session.id)
    .filter(
      ({ launch, kind, enters }) => launch === session.launch && kind === wanted && enters > 0,
    );
}

/** An older one of the same text is of an earlier submission; one without a time may be either. */
export function isTraceOf({ hash, atMs }: StoredPrompt, entered: EnteredPrompt): boolean {
  return hash === entered.hash && !(atMs < entered.typedAtMs - FILE_TIME_SLACK_MS);
}

/** How the name of every trace begins that a conversation of the agent's store gave. */
export function traceOf(conversationId: string): string {
  return `transcript.${conversationId}.`;
}
