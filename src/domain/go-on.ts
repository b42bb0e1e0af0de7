/** What an agent is told when its usage limit has lifted. */
export const GO_ON = 'The usage limit has lifted. Please continue where you left off.';

/** One delivery for each end of a limit, whoever makes it: a command and a policy may both be at it. */
export function goOnId(launch: string, untilMs: number): string {
  return `limit-${launch}-${untilMs}`;
}
