import { loaders } from './loaders.ts';
import { runCommand } from './run-command.ts';

/** Every command. */
export function run(argv: readonly string[]): Promise<number> {
  return runCommand(argv, loaders);
}
