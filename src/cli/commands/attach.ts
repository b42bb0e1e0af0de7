import { spawn } from 'node:child_process';
import { MamError } from '../../domain/errors.ts';
import type { CliCommand } from '../command.ts';
import { invalid } from '../parse.ts';
import { openOptions } from '../with-mam.ts';

export const attach: CliCommand = {
  examples: ['mam attach api', 'mam attach api --read-only', 'mam attach api --fit'],
  configure: (command) =>
    command
      .argument('<name>', 'session')
      .option('--read-only', 'look, do not type')
      .option('--fit', "in this terminal's size; 140 × 40 again when you detach"),
  async run([name = ''], options, context) {
    const request = { readOnly: options.readOnly === true, fit: options.fit === true };
    const { planAttach } = await import('../../app/attach.ts');
    const plan = await planAttach(openOptions(context), name, request);
    if (plan.inside === 'other') throw nested(plan.argv);
    if (plan.inside === 'same' && request.fit) {
      throw invalid('--fit needs a terminal of its own: this one is a client of our tmux server.');
    }
    if (!process.stdin.isTTY) throw invalid('attach needs a terminal.');
    if (plan.inside === 'none') context.out.note('mam: detach with Ctrl-b d');
    await plan.prepare();
    return runInTerminal(plan.argv);
  },
};

/** Gives the terminal away until the program ends, which says itself why it did. */
function runInTerminal([program = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(0) : reject(ended(code))));
  });
}

function ended(code: number | null): MamError {
  const how = code === null ? 'by a signal' : `with status ${code}`;
  return new MamError('tmux.failed', `The tmux client ended ${how}.`, { status: code });
}

function nested(argv: readonly string[]): MamError {
  const command = argv.map((word) => (/^[\w/.:=-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  return new MamError(
    'attach.nested',
    'You are inside another tmux server, and a terminal inside a terminal takes its keys twice.',
    { command },
    { hint: `Detach, or in a terminal of its own: env -u TMUX ${command}` },
  );
}
