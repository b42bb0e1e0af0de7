import type { Acted } from '../../app/mam.ts';
import { MamError } from '../../domain/errors.ts';
import type { CliCommand } from '../command.ts';
import { withMam } from '../with-mam.ts';

export const monitor: CliCommand = {
  examples: ['mam monitor once --dry-run', 'mam monitor once', 'mam monitor once --reap'],
  configure: (command) =>
    command
      .argument('<what>', 'once: bring registry and tmux into agreement now, and report')
      .option('--dry-run', 'only tell what would be done')
      .option('--reap', 'also end processes that ended sessions left'),
  async run([what = ''], options, context) {
    if (what !== 'once') {
      const message = `There is no "mam monitor ${what}": it is "mam monitor once".`;
      throw new MamError('usage.invalid', message, {}, { hint: 'mam help monitor' });
    }
    return withMam(context, async (mam, out) => {
      const request = { dryRun: options.dryRun === true, reap: options.reap === true };
      const acted = await mam.reconcile(request);
      out.result({ findings: acted.map(findingJson) }, () => text(acted));
      return 0;
    });
  },
};

function findingJson({ finding, outcome }: Acted) {
  const { drift, session, action, reason, evidence } = finding;
  return { drift, session, action, reason, evidence, outcome };
}

function text(acted: readonly Acted[]): string {
  if (acted.length === 0) return 'Registry and tmux agree.';
  return acted
    .flatMap(({ finding, outcome }) => {
      const { drift, session, action, reason, evidence } = finding;
      const what = action === 'none' ? '' : ` [${action}${outcome === null ? '' : `: ${outcome}`}]`;
      const facts = evidence.map((fact) => `    ${fact}`);
      return [`${drift} ${session ?? 'server'}: ${reason}${what}`, ...facts];
    })
    .join('\n');
}
