import { type CliCommand, text } from '../command.ts';
import {
  answerExitCode,
  deliveryExitCode,
  deliveryHint,
  deliveryLine,
  madeBeforeWords,
} from '../outcome.ts';
import { invalid, oneOf, promptText, secondsToMs } from '../parse.ts';
import { withMam } from '../with-mam.ts';

const TIMEOUT_MS = 60_000;

export const send: CliCommand = {
  examples: [
    'mam send api "Summarise the open questions"',
    'mam send api --file prompt.txt --id nightly-42',
    'git diff | mam send rev - --wait answered --timeout 300',
  ],
  configure: (command) =>
    command
      .argument('<name>', 'session')
      .argument('[text]', 'the prompt; - reads standard input')
      .option('--file <file>', 'the prompt from a file; - reads standard input')
      .option('--id <id>', 'your key: a text is submitted at most once for each')
      .option('--again', 'deliver anew what was not submitted or is unknown, under a new id')
      .option(
        '--wait <state>',
        'submitted: until it is proven to be (default); answered: for the answer, and print it',
      )
      .option(
        '--timeout <seconds>',
        `how long to wait while it works; default ${TIMEOUT_MS / 1000}`,
      ),
  async run([name = '', inline], options, context) {
    const prompt = await promptText(inline, text(options, 'file'), context.signal);
    if (prompt === undefined) throw invalid('There is no text to send: give it, --file F, or -.');
    const id = text(options, 'id');
    const until = oneOf(options, 'wait', ['answered', 'submitted']) ?? 'submitted';
    const timeoutMs = secondsToMs(options, 'timeout', TIMEOUT_MS);
    return withMam(context, async (mam, out) => {
      const delivery = await mam.send(name, {
        text: prompt,
        ...(id === undefined ? {} : { id }),
        again: options.again === true,
        until,
        timeoutMs,
      });
      const { json, text: line } = deliveryLine(delivery);
      const before = delivery.madeBefore ? madeBeforeWords(delivery) : undefined;
      const answer = until === 'answered' ? delivery.answer : null;
      out.result({ delivery: json }, () => answer ?? (before ? `${line}; ${before}` : line));
      if (before && (out.json || answer !== null)) {
        out.note(`mam: delivery ${delivery.id} was ${before}`);
      }
      const code = until === 'answered' ? answerExitCode(delivery) : deliveryExitCode(delivery);
      const hint = code === 0 ? '' : deliveryHint(name, delivery);
      if (hint !== '') out.note(`     → ${hint}`);
      return code;
    });
  },
};
