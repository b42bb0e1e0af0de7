import { Command, CommanderError } from 'commander';
import { nearestOf } from '../base/nearest.ts';
import { MamError } from '../domain/errors.ts';
import type { CliCommand, CommandContext, Options } from './command.ts';
import { type CommandEntry, type CommandName, commandList } from './commands.ts';
import { createOutput, reportError } from './io.ts';

export type Loaders = Readonly<Partial<Record<CommandName, () => Promise<CliCommand>>>>;

/** Finds, parses and runs one command. @returns The exit code. */
export async function runCommand(argv: readonly string[], loaders: Loaders): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort(interrupted());
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  const json = argv.includes('--json') && !afterDashes(argv, '--json');
  try {
    const { entry, rest } = split(argv);
    const command = await loaders[entry.name]?.();
    if (!command) throw new TypeError(`command ${entry.name} has no loader`);
    return await parseAndRun(entry, command, rest, interrupt.signal);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    return reportError(interrupt.signal.aborted ? interrupted() : error, json);
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** Options before the command's name are common ones: they are moved behind it. */
function split(argv: readonly string[]): {
  entry: (typeof commandList)[number];
  rest: readonly string[];
} {
  const at = argv.findIndex((word, index) => {
    const before = argv[index - 1];
    return !word.startsWith('-') && before !== '--workspace';
  });
  const name = argv[at];
  const entry = commandList.find((candidate) => candidate.name === name);
  if (entry) return { entry, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
  const near =
    name &&
    nearestOf(
      name,
      commandList.map((candidate) => candidate.name),
    );
  throw new MamError(
    'usage.invalid',
    name === undefined ? 'No command is given.' : `There is no command ${JSON.stringify(name)}.`,
    {},
    { hint: near ? `Did you mean: mam ${near}` : 'mam --help lists the commands' },
  );
}

async function parseAndRun(
  entry: CommandEntry,
  command: CliCommand,
  rest: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const parser = buildParser(entry, command);
  parser.parse([...rest], { from: 'user' });
  const options = parser.opts<Options>();
  const out = createOutput({ json: options.json === true, quiet: options.quiet === true });
  const context: CommandContext = {
    out,
    workspace: typeof options.workspace === 'string' ? options.workspace : undefined,
    verbose: options.verbose === true,
    signal,
  };
  return command.run(parser.args, options, context);
}

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
    .configureOutput({ outputError: () => undefined });
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

function afterDashes(argv: readonly string[], word: string): boolean {
  const dashes = argv.indexOf('--');
  return dashes >= 0 && argv.indexOf(word) > dashes;
}

function interrupted(): MamError {
  return new MamError('interrupted', 'Interrupted; what was acknowledged is kept.');
}
