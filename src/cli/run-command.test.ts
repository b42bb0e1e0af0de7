import { describe, expect, it } from 'vitest';
import { MamError } from '../domain/errors.ts';
import type { CliCommand, Options } from './command.ts';
import { runCommand } from './run-command.ts';

describe('what follows --', () => {
  it.each([
    { argv: ['create', 'api', '--role', 'r', '--', '--json', '-x', '--'], args: ['api'] },
    { argv: ['create', '--role', 'r', '--', '--json', '-x', '--'], args: [] },
  ])('of $argv is the agent’s, word for word', async ({ argv, args }) => {
    const seen = await run(argv, { takesRest: true });
    expect(seen?.args).toEqual(args);
    expect(seen?.options).toMatchObject({ role: 'r', rest: ['--json', '-x', '--'] });
    expect(seen?.options).not.toHaveProperty('json');
  });

  it('is a plain word where the command takes no rest', async () => {
    const seen = await run(['create', '--role', 'r', '--', '--json'], {});
    expect(seen?.args).toEqual(['--json']);
    expect(seen?.options).not.toHaveProperty('rest');
  });
});

describe('after an interrupt', () => {
  it.each([
    ['an error of the command itself', new MamError('stop.survivors', 'One is left.'), 11],
    ['whatever else the interrupt brought about', new Error('closed'), 130],
  ])('%s ends with its own code', async (_, error, exitCode) => {
    const command: CliCommand = {
      examples: [],
      configure: (parser) => parser,
      async run() {
        process.emit('SIGINT');
        throw error;
      },
    };
    expect(await runCommand(['init'], { init: async () => command })).toBe(exitCode);
  });
});

interface Seen {
  readonly args: readonly string[];
  readonly options: Options;
}

async function run(argv: readonly string[], more: Partial<CliCommand>): Promise<Seen | undefined> {
  let seen: Seen | undefined;
  const command: CliCommand = {
    examples: [],
    configure: (parser) => parser.argument('[name]').option('--role <role>'),
    async run(args, options) {
      seen = { args, options };
      return 0;
    },
    ...more,
  };
  expect(await runCommand(argv, { create: async () => command })).toBe(0);
  return seen;
}
