/** The script that the user's settings name; its path is also what tells our entries from others. */
export function scriptPath(userFolder: string): string {
  return `${userFolder}/hooks/agent-hook`;
}

/** A line for `sh` that hands an event on. @param answer - Printed by it, where the host wants one. */
export function hookCommand(userFolder: string): (event: string, answer?: string) => string {
  const script = quote(scriptPath(userFolder));
  return (event, answer) =>
    `sh ${script} ${event}${answer === undefined ? '' : ` ${quote(answer)}`}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
