import { expect, it } from 'vitest';
import { demo } from '../../agents/demo/index.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';
import { writeEnvironmentNames } from './environment-names.ts';

const agent: AgentAdapter = {
  ...demo,
  card: { ...demo.card, envPass: ['AGENT_*'] },
  store: { ...demo.store, folder: (env) => env.AGENT_DATA ?? `${env.HOME}/.agent` },
};

function namesOf(env: Readonly<Record<string, string>>): string {
  let written = '';
  const write: Files['write'] = (_path, content) => {
    written = content;
  };
  writeEnvironmentNames({ files: { write } as Files }, '/l', env, agent);
  return written;
}

it('writes down what was passed on, by name', () => {
  expect(namesOf({ HOME: '/h', AGENT_KEY: 'k', OTHER: 'x' })).toBe('HOME\nAGENT_KEY\n');
});

it('asks for no variable again that only says where the store is anyway', () => {
  expect(namesOf({ HOME: '/h', AGENT_DATA: '/h/.agent' })).toBe('HOME\n');
  expect(namesOf({ HOME: '/h', AGENT_DATA: '/d' })).toBe('HOME\nAGENT_DATA\n');
});
