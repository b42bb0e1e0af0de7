import { basename, resolve } from 'node:path';
import { type CliCommand, collect, list, text } from '../command.ts';
import { deliveryExitCode, deliveryLine, startExitCode, waitingLine } from '../outcome.ts';
import { oneOf, promptText, secondsToMs } from '../parse.ts';
import { viewJson } from '../view.ts';
import { withMam } from '../with-mam.ts';

export const create: CliCommand = {
  takesRest: true,
  examples: [
    'mam create api --agent demo --role creator',
    'mam create api --agent claude --role creator --cwd ~/proj/api --prompt "Read README.md"',
    'mam create rev --agent claude --role reviewer --permissions ask -- --verbose',
  ],
  configure: (command) =>
    command
      .argument('[name]', 'unique in the workspace; default: the name of the folder')
      .requiredOption(
        '--agent <kind>',
        'which agent CLI: agy, claude, cline, codex, demo, gemini, or a card of yours',
      )
      .requiredOption('--role <role>', 'what it is for, for example creator or reviewer; immutable')
      .option('--cwd <dir>', 'working directory; default: this one')
      .option('--prompt <text>', 'first prompt; - reads standard input')
      .option('--prompt-file <file>', 'first prompt from a file; - reads standard input')
      .option('--permissions <mode>', 'skip or ask; default: create.permissions')
      .option('--model <model>', "the agent's own name of a model")
      .option('--env <name[=value]>', 'pass a variable; only its name is stored', collect)
      .option('--mcp <file>', 'attach MCP servers described in a file', collect)
      .option('--parent <name>', 'the session that creates it; default: $MAM_SESSION')
      .option('--no-wait', 'do not wait until it is ready (a prompt waits all the same)')
      .option('--timeout <seconds>', 'how long to wait; default: create.timeout_s'),
  async run([name], options, context) {
    const cwd = resolve(text(options, 'cwd') ?? '.');
    const prompt = await promptText(
      text(options, 'prompt'),
      text(options, 'promptFile'),
      context.signal,
    );
    const permissions = oneOf(options, 'permissions', ['skip', 'ask']);
    const model = text(options, 'model');
    const parent = text(options, 'parent');
    return withMam(
      context,
      async (mam, out) => {
        const report = await mam.create({
          name: name ?? basename(cwd),
          agent: text(options, 'agent') ?? '',
          role: text(options, 'role') ?? '',
          cwd,
          ...(prompt === undefined ? {} : { prompt }),
          ...(permissions === undefined ? {} : { permissions }),
          ...(model === undefined ? {} : { model }),
          ...(parent === undefined ? {} : { parent }),
          env: list(options, 'env'),
          mcpFiles: list(options, 'mcp').map((file) => resolve(file)),
          extraArgs: list(options, 'rest'),
          wait: options.wait !== false,
          timeoutMs: secondsToMs(options, 'timeout', mam.settings.create.timeoutMs),
        });
        const { session, delivery } = report;
        const [view] = await mam.viewsOf([session]);
        out.result(
          {
            session: view && viewJson(view),
            ...(delivery ? { delivery: deliveryLine(delivery).json } : {}),
          },
          () =>
            [
              `Created ${session.name}: ${session.agent}, ${session.role}, in ${session.cwd}`,
              ...(delivery ? [deliveryLine(delivery).text] : []),
              `Next: mam send ${session.name} "…" · mam status · mam attach ${session.name}`,
            ].join('\n'),
        );
        if (report.waitingFor) out.note(waitingLine(session.name, report.waitingFor));
        return Math.max(startExitCode(report), delivery ? deliveryExitCode(delivery) : 0);
      },
      { makesWorkspace: true },
    );
  },
};
