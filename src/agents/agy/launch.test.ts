import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { planLaunch } from './launch.ts';

const id = '11111111-1111-4111-8111-111111111111';
const request: LaunchRequest = {
  sessionName: 'api',
  conversation: { kind: 'new', id: '' },
  cwd: '/home/user/project',
  permissions: 'ask',
  extraArgs: [],
  binary: '/usr/bin/agy',
  launchDir: '/w/.mam/run/h/L',
  hookScript: '/w/hook',
  mcpFiles: [],
  env: {},
};

describe('planLaunch', () => {
  it('names the folder to work in, and keeps it from replacing itself', () => {
    const plan = planLaunch(request);
    expect(plan.argv).toEqual(['/usr/bin/agy', '--add-dir', '/home/user/project']);
    expect(plan.files).toEqual([]);
    expect(plan.env).toEqual({ AGY_CLI_DISABLE_AUTO_UPDATE: 'true' });
  });

  it('resumes exactly one, with what was asked for', () => {
    const conversation = { kind: 'resume', id } as const;
    const own = { permissions: 'skip', model: 'm', extraArgs: ['--sandbox'] } as const;
    expect(planLaunch({ ...request, ...own, conversation }).argv.slice(3)).toEqual([
      ...['--dangerously-skip-permissions', '--conversation', id, '--model', 'm', '--sandbox'],
    ]);
  });
});

describe('card', () => {
  it('lets mam answer nothing but trust', () => {
    const policies = card.dialogs.map(({ id: rule, policy }) => [rule, policy]);
    expect(policies.filter(([, policy]) => policy !== 'never')).toEqual([['trust', 'trust']]);
  });

  it.each([
    ['trust', 'Yes, I trust this folder', 'No, exit'],
    ['permission-command', 'Yes, run command', 'No, cancel'],
    ['permission-command', 'Yes', 'No'],
    ['permission-file', 'Yes, allow creation', 'No, deny creation'],
    ['permission-access', 'Yes, allow access', 'No, deny access'],
  ])('knows yes and no of %s, and takes no wider one', (rule, yes, no) => {
    const found = card.dialogs.find((each) => each.id === rule);
    expect([found?.yes?.test(yes), found?.yes?.test(no)]).toEqual([true, false]);
    expect([found?.no?.test(no), found?.no?.test(yes)]).toEqual([true, false]);
    for (const wider of [
      "Yes, and always allow for commands that start with 'ls' (Persist to settings.json)",
      "Yes, and always allow in this conversation for commands that start with 'ls'",
      'Yes, and always allow non-workspace access',
      'Yes, allow always',
    ])
      expect(found?.yes?.test(wider)).toBe(false);
  });
});
