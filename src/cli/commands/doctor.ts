import type { Check } from '../../app/doctor.ts';
import { type CliCommand, text } from '../command.ts';
import { openOptions } from '../with-mam.ts';

const LACKING = 5;

/** Missing but not needed for the main job. */
const OPTIONAL = new Set(['perl', 'compiler', 'logout', 'workspace']);

export const doctor: CliCommand = {
  examples: ['mam doctor', 'mam doctor --agent claude'],
  configure: (command) =>
    command.option('--agent <kind>', 'check this agent; default: those that are installed'),
  async run(_args, options, context) {
    const app = await import('../../app/doctor.ts');
    const checks = await app.doctor(openOptions(context), text(options, 'agent'));
    context.out.result({ checks }, () => checks.map(line).join('\n'));
    return checks.some(({ ok, id }) => !ok && !OPTIONAL.has(id)) ? LACKING : 0;
  },
};

function line({ id, ok, found, needed, fix }: Check): string {
  if (ok) return `ok       ${id}: ${found}`;
  const mark = OPTIONAL.has(id) ? 'advice ' : 'missing';
  return `${mark}  ${id}: ${found}\n           needed: ${needed}\n           → ${fix}`;
}
