import type { CliCommand } from '../command.ts';
import { wholeNumber } from '../parse.ts';
import { openOptions } from '../with-mam.ts';

const MAX_LINES = 20_000;

export const capture: CliCommand = {
  plain: { min: 1, max: 1 },
  examples: ['mam capture api', 'mam capture api --lines 200', 'mam capture api --ansi'],
  configure: (command) =>
    command
      .argument('<name>', 'session')
      .option('--lines <n>', 'that many rows of scrollback as well; default 0')
      .option('--ansi', 'keep colours'),
  async run([name = ''], options, context) {
    const historyLines = wholeNumber(options, 'lines', 0, MAX_LINES);
    const { captureScreen } = await import('../../app/capture.ts');
    const ansi = options.ansi === true;
    const screen = await captureScreen(openOptions(context), name, { historyLines, ansi });
    context.out.result(screen, () => screen.screen, { raw: ansi });
    return 0;
  },
};
