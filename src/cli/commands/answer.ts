import type { CliCommand } from '../command.ts';
import { withMam } from '../with-mam.ts';

export const answer: CliCommand = {
  examples: ['mam answer api yes', 'mam answer api "Yes, I trust this folder"'],
  configure: (command) =>
    command
      .argument('<name>', 'session')
      .argument('<choice>', "yes, no, or an option's own text; never a position"),
  async run([name = '', choice = ''], _options, context) {
    return withMam(context, async (mam, out) => {
      const answered = await mam.answer(name, choice);
      out.result({ answered }, () => `Answered: ${answered}`);
      return 0;
    });
  },
};
