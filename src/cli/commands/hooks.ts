import { createInterface } from 'node:readline/promises';
import type { AgentHooks, HookChange } from '../../app/agent-hooks.ts';
import { changedLines } from '../changed-lines.ts';
import type { CliCommand } from '../command.ts';
import { invalid } from '../parse.ts';

const VERBS = ['install', 'uninstall'] as const;

export const hooks: CliCommand = {
  examples: ['mam hooks install gemini', 'mam hooks uninstall gemini --yes'],
  configure: (command) =>
    command
      .argument('<verb>', VERBS.join(' or '))
      .argument('<agent>', 'the agent whose settings are meant')
      .option('--yes', 'agree to the change without being asked')
      .option('--dry-run', 'only show what would be changed'),
  async run([verb = '', agent = ''], options, { out, signal }) {
    const kind = VERBS.find((each) => each === verb);
    if (kind === undefined)
      throw invalid(`There is no verb "${verb}"; there are ${VERBS.join(', ')}.`);
    const app = await import('../../app/agent-hooks.ts');
    const agentHooks: AgentHooks = app.openAgentHooks();
    const change = agentHooks.plan(kind, agent);
    const isSame = change.before === change.after;
    const isDry = options.dryRun === true;
    const lines = changedLines(change.before ?? '', change.after ?? '');
    if (!isSame && !isDry && options.yes !== true) {
      if (!(await isAgreed(change, lines, signal))) {
        out.note('Nothing was changed.');
        return 1;
      }
    }
    if (!isDry) agentHooks.apply(change);
    out.result({ agent, file: change.file, changed: !isSame, dry_run: isDry, lines }, () =>
      isSame
        ? `${change.file} is as it should be.`
        : [HEAD[kind](change, isDry), ...lines].join('\n'),
    );
    return 0;
  },
};

const HEAD: Readonly<Record<HookChange['kind'], (change: HookChange, isDry: boolean) => string>> = {
  install: ({ file, agent }, isDry) =>
    `${isDry ? 'Would install' : 'Installed'} hooks of ${agent} in ${file}; sessions that start from now on tell by them.`,
  uninstall: ({ file, agent }, isDry) =>
    `${isDry ? 'Would take' : 'Took'} the hooks of ${agent} out of ${file}.`,
};

async function isAgreed(
  { kind, file }: HookChange,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw invalid(`This changes ${file}: say --yes, or --dry-run to see how.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `${lines.join('\n')}\n${kind === 'install' ? 'Add' : 'Remove'} this in ${file}? [y/N] `;
    return /^y(?:es)?$/i.test((await terminal.question(question, { signal })).trim());
  } finally {
    terminal.close();
  }
}
