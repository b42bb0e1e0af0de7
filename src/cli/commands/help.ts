import { nearestOf } from '../../base/nearest.ts';
import { MamError } from '../../domain/errors.ts';
import { settingDocs } from '../../protocol/config-schema.ts';
import type { CliCommand } from '../command.ts';
import { commandList } from '../commands.ts';
import { buildParser } from '../parser.ts';

export const help: CliCommand = {
  examples: ['mam help create', 'mam help config'],
  configure: (command) => command.argument('[topic]', 'a command, or config'),
  async run([topic = 'help'], _options, { out }) {
    if (topic === 'config') {
      out.result({ settings: settingDocs }, settingsText);
      return 0;
    }
    const entry = commandList.find(({ name }) => name === topic);
    if (!entry) {
      const near = nearestOf(
        topic,
        commandList.map(({ name }) => name),
      );
      throw new MamError(
        'usage.invalid',
        `There is no command ${JSON.stringify(topic)}.`,
        {},
        { hint: near ? `mam help ${near}` : 'mam --help lists the commands' },
      );
    }
    const { loaders } = await import('../loaders.ts');
    const command = await loaders[entry.name]();
    const parser = buildParser(entry, command);
    const examples = `\nExamples:\n${command.examples.map((line) => `  ${line}`).join('\n')}\n`;
    const body = `${parser.helpInformation()}${examples}`;
    out.result({ command: topic, help: body }, () => body);
    return 0;
  },
};

function settingsText(): string {
  const lines = settingDocs.map(
    ({ key, values, fallback, meaning }) =>
      `${key}  (${values}; default ${fallback})\n    ${meaning}`,
  );
  return `Settings in .mam/config.yaml; a dot stands for one level of the file.\n\n${lines.join('\n')}\n`;
}
