import { nearestOf } from '../base/nearest.ts';
import { isMamError, MamError } from '../domain/errors.ts';
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
    if (isHelpShown(error)) return 0;
    // What the command itself has to say stands, also when it was interrupted.
    const isBroken = interrupt.signal.aborted && !isMamError(error);
    return reportError(isBroken ? interrupted() : error, json);
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
  const { args, options } = parsePlain(command, rest) ?? (await parseFully(entry, command, rest));
  const out = createOutput({ json: options.json === true, quiet: options.quiet === true });
  const context: CommandContext = {
    out,
    workspace: typeof options.workspace === 'string' ? options.workspace : undefined,
    verbose: options.verbose === true,
    signal,
  };
  return command.run(args, options, context);
}

interface Parsed {
  readonly args: readonly string[];
  readonly options: Options;
}

const PLAIN_FLAGS: readonly string[] = ['--json', '--quiet', '--verbose'];

/** Names and common flags only, where the command says how many names: then no parser is loaded. */
function parsePlain({ plain }: CliCommand, rest: readonly string[]): Parsed | undefined {
  if (!plain) return undefined;
  const args = rest.filter((word) => !word.startsWith('-'));
  const flags = rest.filter((word) => word.startsWith('-'));
  const fits = args.length >= plain.min && args.length <= plain.max;
  if (!fits || !flags.every((flag) => PLAIN_FLAGS.includes(flag))) return undefined;
  return { args, options: Object.fromEntries(flags.map((flag) => [flag.slice(2), true])) };
}

async function parseFully(
  entry: CommandEntry,
  command: CliCommand,
  rest: readonly string[],
): Promise<Parsed> {
  const { buildParser } = await import('./parser.ts');
  const parser = buildParser(entry, command);
  const dashes = command.takesRest ? rest.indexOf('--') : -1;
  const own = dashes < 0 ? rest : rest.slice(0, dashes);
  parser.parse([...own], { from: 'user' });
  const others = dashes < 0 ? {} : { rest: rest.slice(dashes + 1) };
  return { args: parser.args, options: { ...parser.opts<Options>(), ...others } };
}

function afterDashes(argv: readonly string[], word: string): boolean {
  const dashes = argv.indexOf('--');
  return dashes >= 0 && argv.indexOf(word) > dashes;
}

function interrupted(): MamError {
  return new MamError('interrupted', 'Interrupted; what was acknowledged is kept.');
}

/** commander ends `--help` with an error of its own. */
function isHelpShown(error: unknown): boolean {
  const { code, exitCode } = error as { code?: unknown; exitCode?: unknown };
  return typeof code === 'string' && code.startsWith('commander.') && exitCode === 0;
}
