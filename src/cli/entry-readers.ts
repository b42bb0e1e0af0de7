import { readerLoaders } from './reader-loaders.ts';
import { runCommand } from './run-command.ts';

/** The commands that only look. */
export function run(argv: readonly string[]): Promise<number> {
  return runCommand(argv, readerLoaders);
}
