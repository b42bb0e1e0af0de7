import { resolve } from 'node:path';
import type { CliCommand } from '../command.ts';

export const init: CliCommand = {
  examples: ['mam init', 'mam init ~/projects/api'],
  configure: (command) => command.argument('[dir]', 'the folder; default: this one'),
  async run([dir = '.'], _options, { out }) {
    const app = await import('../../app/open-fleet.ts');
    const { workspace, powers } = await app.init({}, resolve(dir));
    out.result({ workspace: workspace.root, id: workspace.id }, () =>
      [
        `Workspace ${workspace.id} in ${workspace.root}`,
        'Next: mam create NAME --agent demo --role creator',
      ].join('\n'),
    );
    if (powers.length > 0) {
      out.note(`Its config.yaml sets ${powers.join(', ')}: used from now on.`);
    }
    return 0;
  },
};
