import type { FleetContext } from './context.ts';

/** Programs whose first argument is the program that matters. */
const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]*|perl|ruby|sh|bash|dash|zsh)$/;

/** Whether a command line is one of this agent's. */
export function runsAgent(
  { adapters }: Pick<FleetContext, 'adapters'>,
  kind: string,
  command: string,
): boolean {
  return adapters.get(kind).card.binaries.some((binary) => {
    const builtIn = adapters.builtIn(binary)?.join(' ');
    const isBuiltIn = builtIn !== undefined && `${command} `.startsWith(`${builtIn} `);
    return isBuiltIn || runs(command, binary);
  });
}

/** As a program of its own, or as the script that an interpreter runs. */
function runs(command: string, binary: string): boolean {
  const [program = '', ...rest] = command.split(' ');
  if (program === binary || program.endsWith(`/${binary}`)) return true;
  const isInterpreter = INTERPRETER.test(program.slice(program.lastIndexOf('/') + 1));
  const script = rest.find((word) => !word.startsWith('-')) ?? '';
  return isInterpreter && script.endsWith(`/${binary}`);
}
