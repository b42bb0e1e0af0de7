import { isMamError, type MamError } from '../../domain/errors.ts';
import type { ActOutcome, Finding } from '../../ports/fleet-care.ts';
import type { MonitorContext } from './context.ts';
import { isInDoubt, reconcile } from './reconcile.ts';

type OnceContext = Pick<MonitorContext, 'care' | 'registry' | 'clock' | 'signal'>;

export interface OnceRequest {
  /** Only tells what would be done. */
  readonly dryRun: boolean;
  /** Also ends what ended sessions left behind. */
  readonly reap: boolean;
}

/** A finding, and what came of it; `outcome` null when nothing was tried, `error` with `failed`. */
export interface Acted {
  readonly finding: Finding;
  readonly outcome: ActOutcome | null;
  readonly error: MamError | null;
}

/** Between the two looks: an agent that is just ending has its record written by then. Milliseconds. */
const SECOND_LOOK_MS = 250;

/** One reconcile by hand. It looks twice at least, since nothing is done by a first look. */
export async function reconcileOnce(
  context: OnceContext,
  { dryRun, reap }: OnceRequest,
): Promise<readonly Acted[]> {
  if (!dryRun) await context.care.recover();
  const survey = context.care.survey();
  let world = await survey.look({ isFirstLook: true, isThorough: true });
  do {
    await context.clock.sleep(SECOND_LOOK_MS, context.signal);
    world = await survey.look({ isFirstLook: false, isThorough: true });
  } while (world.sessions.some(isInDoubt));
  const findings = reconcile(world);
  const acted: Acted[] = [];
  for (const finding of findings) {
    const isWanted = !dryRun && (finding.action !== 'reap' || reap);
    acted.push(
      isWanted ? await tryToAct(context, finding) : { finding, outcome: null, error: null },
    );
  }
  if (!dryRun) drainAll(context);
  return acted;
}

/** One that fails does not keep the others from being done, nor from being told. */
async function tryToAct(context: OnceContext, finding: Finding): Promise<Acted> {
  try {
    return { finding, outcome: await context.care.act(finding), error: null };
  } catch (error) {
    if (!isMamError(error) || error.code === 'interrupted') throw error;
    return { finding, outcome: 'failed', error };
  }
}

/** Hook events that no command has taken in yet. */
function drainAll(context: OnceContext): void {
  const sessions = context.registry.read((reader) => reader.sessions());
  for (const session of sessions.filter(({ status }) => status === 'running')) {
    context.care.drain(session);
  }
}
