import { Command } from 'commander';
import { MamError } from '../domain/errors.ts';
import type { CliCommand } from './command.ts';
import type { CommandEntry } from './commands.ts';
import { writeOut } from './write.ts';

/** The parser of one command; also what `mam help CMD` and the CLI reference print. */
export function buildParser(entry: CommandEntry, command: CliCommand): Command {
  const examples = command.examples.map((line) => `  ${line}`).join('\n');
  const parser = command
    .configure(new Command(`mam ${entry.name}`))
    .description(entry.summary)
    .option('--json', 'one JSON document on standard output')
    .option('--workspace <dir>', 'the workspace, instead of the nearest .mam')
    .option('--quiet', 'no notes on standard error')
    .option('--verbose', 'say what is done')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', `\nExamples:\n${examples}`)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut, outputError: () => undefined });
  if (command.takesRest) parser.usage(`${parser.usage()} [-- ARGS…]`);
  parser.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    throw new MamError(
      'usage.invalid',
      error.message.replace(/^error: /, ''),
      {},
      { hint: `mam help ${entry.name}` },
    );
  });
  return parser;
}
