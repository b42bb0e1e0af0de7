import { MamError } from '../../domain/errors.ts';
import { mayPreempt, type Operation, type OperationKind } from '../../domain/launch.ts';
import { isOwnerAlive, isSameOwner, UNSEEN_OWNER_MS } from '../../domain/owner.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { afterwards } from './afterwards.ts';
import type { FleetContext } from './context.ts';

type OperationContext = Pick<FleetContext, 'registry' | 'processes' | 'clock'>;

/** One operation on one session, held by this process. Later writes go through `update`. */
export interface HeldOperation {
  readonly sessionId: string;
  /** Grows with every operation in the workspace. */
  readonly fence: number;
  /**
   * A registry update that fails when the operation was taken over.
   *
   * @throws {MamError} `session.busy`
   */
  update<T>(fn: (transaction: RegistryTransaction) => T): T;
  /** Twice-safe. */
  end(): void;
}

/**
 * Takes the session for one operation. An operation whose owner is dead is taken over; `stop` takes
 * over from a delivery that lives.
 *
 * @throws {MamError} `session.busy`, naming the holder.
 */
export function beginOperation(
  context: OperationContext,
  session: { readonly id: string; readonly name: string },
  kind: OperationKind,
): HeldOperation {
  const fence = context.registry.update((tx) => takeOperation(tx, context, session, kind));
  return heldOperation(context, session.id, session.name, fence);
}

/** The same inside a transaction that does more. @returns The fence. */
export function takeOperation(
  tx: RegistryTransaction,
  { processes, clock }: Pick<OperationContext, 'processes' | 'clock'>,
  session: { readonly id: string; readonly name: string },
  kind: OperationKind,
): number {
  const held = tx.findOperation(session.id);
  const isHeld = isOperationHeld({ processes, clock }, held);
  if (held && isHeld && !mayPreempt(kind, held.kind)) throw busy(session.name, held);
  // Of this commit alone: it must not come again when the row of an operation is gone.
  const fence = tx.revision() + 1;
  const deadlineMs = clock.nowMs() + UNSEEN_OWNER_MS;
  tx.putOperation({ sessionId: session.id, kind, owner: processes.self, fence, deadlineMs });
  return fence;
}

/** Whether the command that is at a session lives. Of this process's own: whether it still is at it. */
export function isOperationHeld(
  { processes, clock }: Pick<OperationContext, 'processes' | 'clock'>,
  operation: Operation | undefined,
): boolean {
  if (!operation) return false;
  const { owner, sessionId, deadlineMs } = operation;
  if (isSameOwner(owner, processes.self)) return isUnderWay(sessionId);
  return isOwnerAlive(owner, deadlineMs, processes, clock.nowMs());
}

/**
 * Sessions that this process is at, and how often. A row whose end could not be written (the registry was
 * busy, the disk full) would otherwise stand as long as a monitor lives.
 */
const underWay = new Map<string, number>();

/** Whether this process is at the session. */
export function isUnderWay(sessionId: string): boolean {
  return underWay.has(sessionId);
}

/** Rows of this process that nobody is at any more. */
export function forgetOwnOperations({ registry, processes }: OperationContext): void {
  const isLeft = ({ owner, sessionId }: Operation) =>
    isSameOwner(owner, processes.self) && !isUnderWay(sessionId);
  if (!registry.read((reader) => reader.operations()).some(isLeft)) return;
  registry.update((tx) => {
    for (const each of tx.operations().filter(isLeft)) tx.deleteOperation(each.sessionId);
  });
}

export function heldOperation(
  { registry, processes }: OperationContext,
  sessionId: string,
  name: string,
  fence: number,
): HeldOperation {
  const isOurs = (operation: Operation | undefined) =>
    operation?.fence === fence && isSameOwner(operation.owner, processes.self);
  underWay.set(sessionId, (underWay.get(sessionId) ?? 0) + 1);
  let isEnded = false;
  const leave = () => {
    if (isEnded) return;
    isEnded = true;
    const others = (underWay.get(sessionId) ?? 1) - 1;
    if (others === 0) underWay.delete(sessionId);
    else underWay.set(sessionId, others);
  };
  return {
    sessionId,
    fence,
    update: (fn) =>
      registry.update((tx) => {
        const operation = tx.findOperation(sessionId);
        if (!isOurs(operation)) throw takenOver(name, operation);
        return fn(tx);
      }),
    end: () => {
      leave();
      registry.update((tx) => {
        if (isOurs(tx.findOperation(sessionId))) tx.deleteOperation(sessionId);
      });
    },
  };
}

/**
 * Ends an operation, whatever came of it. One that could not be ended is taken over when this process is
 * gone.
 */
export async function letGo(
  context: Pick<FleetContext, 'logger'>,
  { name }: { readonly name: string },
  operation: HeldOperation,
): Promise<void> {
  await afterwards(context, `Session "${name}" could not be let go`, () => operation.end());
}

function busy(name: string, { kind, owner }: Operation): MamError {
  return new MamError(
    'session.busy',
    `Session "${name}" is busy: process ${owner.pid} is at "${kind}".`,
    { session: name, operation: kind, pid: owner.pid },
    { hint: 'Try again when it is done.' },
  );
}

function takenOver(name: string, operation: Operation | undefined): MamError {
  const by = operation
    ? `"${operation.kind}" of process ${operation.owner.pid}`
    : 'another command';
  return new MamError('session.busy', `Session "${name}" was taken over by ${by}.`, {
    session: name,
  });
}
