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
    const { planAttach } = await import('../../app/attach.ts');
    const plan = await planAttach(openOptions(context), name, options.readOnly === true);
    if (plan.inside === 'other') throw nested(plan.argv);
    if (plan.inside === 'none' && !process.stdin.isTTY) throw invalid('attach needs a terminal.');
    const fit = options.fit === true;
    if (fit) await plan.fit('client');
    context.out.note('mam: detach with Ctrl-b d');
    try {
      return await runInTerminal(plan.argv);
    } finally {
      if (fit) await plan.fit('own');
    }
  },
};

/** Gives the terminal away until the program ends. */
function runInTerminal([program = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
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
