import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { planLaunch } from './launch.ts';
import { store } from './store.ts';

const id = '1796100923319_gaeyc';
const request: LaunchRequest = {
  sessionName: 'api',
  conversation: { kind: 'new', id: '' },
  cwd: '/home/user/project',
  permissions: 'ask',
  extraArgs: [],
  binary: '/usr/bin/cline',
  launchDir: '/w/.mam/run/h/L',
  hookScript: '/w/.mam/run/h/L/hook',
  mcpFiles: [],
  env: { HOME: '/home/user' },
};

describe('planLaunch', () => {
  it('starts a new conversation with hooks of ours and data of the user', () => {
    expect(planLaunch(request).argv).toEqual([
      ...['/usr/bin/cline', '--config', '/w/.mam/run/h/L/cline'],
      ...['--data-dir', '/home/user/.cline/data', '--auto-approve', 'false'],
    ]);
  });

  it('resumes exactly one, with what was asked for', () => {
    const conversation = { kind: 'resume', id } as const;
    const own = { permissions: 'skip', model: 'm', extraArgs: ['--plan'] } as const;
    expect(planLaunch({ ...request, ...own, conversation }).argv.slice(5)).toEqual([
      ...['--auto-approve', 'true', '--id', id, '--model', 'm', '--plan'],
    ]);
  });

  it.each([
    [{}, '/home/user/.cline', '/home/user/.cline/data'],
    [{ CLINE_DIR: '/d' }, '/d', '/d/data'],
    [{ CLINE_DIR: '/d', CLINE_DATA_DIR: '/e' }, '/d', '/e'],
  ])("finds what is the user's, with %j", (own, users, data) => {
    const env = { ...request.env, ...own };
    const { argv, links, files } = planLaunch({ ...request, env });
    expect(argv[4]).toBe(data);
    expect(store.folder(env)).toBe(data);
    expect(links).toContainEqual({ name: 'cline/skills', target: `${users}/skills` });
    const runner = files.find(({ name }) => name === 'cline/run-hooks');
    expect(runner?.content).toContain(`folder='${users}/hooks'`);
  });

  it('stands in for everything that Cline looks for in the folder, once', () => {
    const { links = [], files } = planLaunch(request);
    const top = [...links, ...files].map(({ name }) => name.split('/').slice(0, 2).join('/'));
    expect(new Set(links.map(({ name }) => name)).size).toBe(links.length);
    expect(top).toContain('cline/hooks');
    expect(links.map(({ name }) => name)).not.toContain('cline/hooks');
  });
});

describe('card', () => {
  it('lets mam answer nothing by itself', () => {
    expect(card.dialogs.map(({ policy }) => policy)).toEqual(card.dialogs.map(() => 'never'));
  });

  it('passes on where the user keeps it, and nothing that an outer one set for its tools', () => {
    expect(card.envMarkers).toContain('CLINE_SANDBOX');
    expect(card.envMarkers).not.toContain('CLINE_DIR');
    expect(card.envMarkers).not.toContain('CLINE_DATA_DIR');
  });
});
