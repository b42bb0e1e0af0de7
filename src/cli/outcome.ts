import type { Delivery } from '../domain/delivery.ts';
import { errorExitCodes } from '../domain/errors.ts';
import { type DeliveryJson, deliveryJson } from '../protocol/session-json.ts';

const NOT_PROVEN = 6;
const TIME_IS_OVER = errorExitCodes['wait.timeout'];

/** @see docs/cli.md, exit codes: proven 0, not proven 6, still queued 8 or 5, something in the way 9 */
export function deliveryExitCode({ state, reason }: Delivery): number {
  switch (state) {
    case 'submitted':
    case 'started':
    case 'answered':
      return 0;
    case 'queued':
      return reasonExitCode(reason);
    case 'typing':
    case 'typed':
    case 'entered':
      return reasonExitCode(reason, NOT_PROVEN);
    case 'refused':
      return reason !== null && /^(?:ended|lost|stopped)\b/.test(reason) ? 4 : 9;
    case 'not-submitted':
    case 'unknown':
      return NOT_PROVEN;
  }
}

/** What `--wait answered` ends with when there is no answer; else as `deliveryExitCode`. */
export function answerExitCode(delivery: Delivery): number {
  const code = deliveryExitCode(delivery);
  return code === 0 && delivery.state !== 'answered' ? reasonExitCode(delivery.reason) : code;
}

/** A reason begins with the word for what is in the way; without one the time was over. */
function reasonExitCode(reason: string | null, timeIsOver: number = TIME_IS_OVER): number {
  switch (/^[a-z-]+/.exec(reason ?? '')?.[0]) {
    case 'trust':
    case 'login':
    case 'lost':
      return 5;
    case 'dialog':
    case 'mode':
    case 'overlay':
    case 'limit':
      return 9;
    case 'ended':
      return 4;
    case 'failed':
    case 'interrupted':
      return errorExitCodes['turn.failed'];
    default:
      return timeIsOver;
  }
}

export function deliveryLine(delivery: Delivery): { json: DeliveryJson; text: string } {
  const { id, state, evidence, reason } = delivery;
  const proof = evidence ? `, proven by ${evidence.source}` : '';
  const why = reason === null ? '' : ` (${reason})`;
  return { json: deliveryJson(delivery), text: `Delivery ${id}: ${state}${proof}${why}` };
}

/** Of one that this command did not make. */
export function madeBeforeWords({ createdAt }: Delivery): string {
  return `made before, at ${createdAt}: nothing was typed now`;
}

/** What to do next about a delivery that did not end well; empty when nothing is known. */
export function deliveryHint(name: string, { id, state, reason }: Delivery): string {
  const word = /^[a-z-]+/.exec(reason ?? '')?.[0];
  if (word === 'dialog' || word === 'trust') {
    return `mam capture ${name} shows the question · mam answer ${name} yes|no|"its text"`;
  }
  if (word === 'login') return `mam attach ${name}`;
  if (word === 'ended') return `mam resume ${name}`;
  if (word === 'lost') return 'mam resume --all';
  if (state === 'queued') {
    return `It waits: the next command on ${name} delivers it, mam stop ${name} refuses it`;
  }
  if (word === 'draft' || word === 'overlay' || word === 'mode') return `mam attach ${name}`;
  const again = `mam send ${name} … --id ${id} --again delivers it anew`;
  if (state === 'unknown') return `mam capture ${name} may show whether it arrived · ${again}`;
  return state === 'not-submitted' ? again : '';
}

/** A session that waits for a person lacks trust or login (5); any other dialog is in the way (9). */
export function startExitCode({ waitingFor }: { readonly waitingFor: string | null }): number {
  if (waitingFor === null) return 0;
  return waitingFor === 'trust' || waitingFor === 'login' ? 5 : 9;
}

export function waitingLine(name: string, detail: string): string {
  return `mam: ${name} is up and waits for an answer (${detail}).\n     → mam capture ${name} · mam answer ${name} yes`;
}

/** With several names the worst of the parts: 1 before all, else the highest. */
export function worstExitCode(codes: readonly number[]): number {
  return codes.includes(1) ? 1 : Math.max(0, ...codes);
}
