import type { Command } from 'commander';
import type { Output } from './io.ts';

/** What every command gets. */
export interface CommandContext {
  readonly out: Output;
  readonly workspace: string | undefined;
  readonly verbose: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A command is data with a thin `run`: no rules of the business, no `process.exit`. */
export interface CliCommand {
  /** Adds arguments and options. */
  configure(command: Command): Command;
  /** @returns The exit code. */
  run(args: readonly string[], options: Options, context: CommandContext): Promise<number>;
  /** How many names it takes when only common flags are given: such a call loads no parser. */
  readonly plain?: { readonly min: number; readonly max: number };
  /** What follows `--` is not its own: it comes as the option `rest`. */
  readonly takesRest?: boolean;
  /** Lines that work as they stand; shown by `mam help CMD`. */
  readonly examples: readonly string[];
}

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function list(options: Options, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

/** For commander: an option that may be given more than once. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
