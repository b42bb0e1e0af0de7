import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { everyAgent } from '../../test/support/every-agent.ts';
import { errorExitCodes } from '../domain/errors.ts';
import { commandList } from './commands.ts';
import { loaders } from './loaders.ts';
import { buildParser } from './parser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const reference = read('docs/cli.md');
const features = read('SKILL_FEATURES.md');
const COMMON = ['--json', '--workspace', '--quiet', '--verbose', '--help'];

const sectionOf = (name: string) =>
  reference.split(/^##+ /m).find((section) => section.startsWith(`${name}\n`)) ?? '';

/** Code spans, fenced and indented blocks of a Markdown text: prose may say "mam made". */
function codeOf(text: string): string {
  const parts = text.match(/```[\s\S]*?```|`[^`\n]+`|^ {4}.*$/gm) ?? [];
  return parts.map((part) => part.replace(/[ \t]+#.*$/gm, '')).join('\n');
}

/** Every `mam …` in code: command and long options. */
function usesOf(text: string): readonly { command: string; options: readonly string[] }[] {
  return [...text.matchAll(/\bmam ([a-z]+)((?: (?:"[^"\n]*"|[^\s`|]+))*)/g)].map(
    ([, command = '', rest = '']) => ({
      command,
      options: [...rest.matchAll(/(?<= )--[a-z-]+/g)].map(([option]) => option),
    }),
  );
}

describe('docs/cli.md', () => {
  it('names every agent at create, as its help does', async () => {
    const kinds = Object.keys(everyAgent).toSorted();
    expect(sectionOf('create')).toContain(kinds.map((kind) => `\`${kind}\``).join(', '));
    const entry = commandList.find(({ name }) => name === 'create');
    if (!entry) throw new Error('there is no create');
    const help = buildParser(entry, await loaders.create()).helpInformation();
    expect(help.replaceAll(/\s+/g, ' ')).toContain(kinds.join(', '));
  });

  it('has a section for each command, in the order of the help', () => {
    const sections = [...reference.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(commandList.map(({ name }) => name));
  });

  it.each(commandList)('names exactly the options of $name', async (entry) => {
    const parser = buildParser(entry, await loaders[entry.name]());
    const options = parser.options
      .map(({ long }) => long ?? '')
      .filter((long) => !COMMON.includes(long));
    const documented = [...sectionOf(entry.name).matchAll(/^\| (`.*?) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/--[a-z-]+/g) ?? [],
    );
    expect([...new Set(documented)].sort()).toEqual(options.sort());
  });

  it('names what send waits for, as its help does', async () => {
    const entry = { name: 'send', summary: '' };
    const help = buildParser(entry, await loaders.send()).helpInformation();
    const [documented = ''] = sectionOf('send').match(/^.*--wait.*$/m) ?? [];
    for (const text of [help.replace(/\s+/g, ' '), documented]) {
      expect(text).toMatch(/submitted`?: [^;]*\(default\)/);
      expect(text).toMatch(/answered`?: [^;]*print it/);
    }
  });

  it('explains every exit code there is', () => {
    const documented = [...reference.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    const used = [0, ...new Set(Object.values(errorExitCodes))].sort((a, b) => a - b);
    expect(documented).toEqual(used);
  });
});

describe('examples of the help', () => {
  it.each(commandList)('of $name are parsed by the command they show', async (entry) => {
    const command = await loaders[entry.name]();
    for (const line of command.examples.filter((example) => /^mam /.test(example))) {
      const [use] = usesOf(line);
      const parser = buildParser(entry, command);
      const known = parser.options.map(({ long }) => long);
      expect(use?.command).toBe(entry.name);
      expect(
        use?.options.filter((option) => !known.includes(option) && !line.includes(`-- ${option}`)),
      ).toEqual([]);
    }
  });
});

describe.each<readonly [string, string]>([
  ['SKILL_FEATURES.md', features],
  ['README.md', read('README.md')],
  ...readdirSync(join(root, 'skills'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [`skills/${name}`, read(`skills/${name}`)] as const),
])('%s', (_, text) => {
  it('shows only commands and options that exist', async () => {
    const unknown: string[] = [];
    for (const { command, options } of usesOf(codeOf(text))) {
      const entry = commandList.find(({ name }) => name === command);
      const parser = entry ? buildParser(entry, await loaders[entry.name]()) : new Command();
      const known = parser.options.map(({ long }) => long);
      if (!entry) unknown.push(command);
      unknown.push(
        ...options.filter((option) => !known.includes(option)).map((o) => `${command} ${o}`),
      );
    }
    expect(unknown).toEqual([]);
  });
});

describe('SKILL_FEATURES.md', () => {
  it('draws the state machine that the registry holds', () => {
    for (const arrow of [
      '[*] --> running',
      'running --> stopped',
      'running --> terminated',
      'stopped --> running',
      'stopped --> terminated',
      'terminated --> running',
      'terminated --> [*]',
    ]) {
      expect(features).toContain(arrow);
    }
  });

  it('names every skill that is there, and no other', () => {
    const skills = readdirSync(join(root, 'skills'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const named = [...features.matchAll(/^### (multi-agent-mux-[a-z-]+)$/gm)].map(
      ([, name]) => name,
    );
    expect(named.sort()).toEqual(skills.sort());
  });

  it('names every command', () => {
    expect(
      commandList.filter(({ name }) => !features.includes(`mam ${name}`)).map(({ name }) => name),
    ).toEqual([]);
  });
});
