import type { FleetContext } from '../fleet/context.ts';
import { recoverLaunches } from '../fleet/launch-recovery.ts';
import { act } from './act.ts';
import type { ActOutcome, Finding } from './finding.ts';
import { reconcile } from './reconcile.ts';
import { Survey } from './survey.ts';

export interface OnceRequest {
  /** Only tells what would be done. */
  readonly dryRun: boolean;
  /** Also ends what ended sessions left behind. */
  readonly reap: boolean;
}

/** A finding, and what came of it; null when nothing was tried. */
export interface Acted {
  readonly finding: Finding;
  readonly outcome: ActOutcome | null;
}

/** Between the two looks: an agent that is just ending has its record written by then. Milliseconds. */
const SECOND_LOOK_MS = 250;

/** One reconcile by hand. It looks twice, since nothing is done by a first look. */
export async function reconcileOnce(
  context: FleetContext,
  { dryRun, reap }: OnceRequest,
): Promise<readonly Acted[]> {
  if (!dryRun) await recoverLaunches(context);
  const survey = new Survey(context);
  await survey.look({ isFirstLook: true, isThorough: false });
  await context.clock.sleep(SECOND_LOOK_MS, context.signal);
  const findings = reconcile(await survey.look({ isFirstLook: false, isThorough: true }));
  const acted: Acted[] = [];
  for (const finding of findings) {
    const isWanted = !dryRun && (finding.action !== 'reap' || reap);
    acted.push({ finding, outcome: isWanted ? await act(context, finding) : null });
  }
  return acted;
}
