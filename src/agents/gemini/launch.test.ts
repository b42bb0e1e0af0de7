import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../ports/agent-adapter.ts';
import { card } from './card.ts';
import { planLaunch } from './launch.ts';

const id = '11111111-1111-4111-8111-111111111111';
const request: LaunchRequest = {
  sessionName: 'api',
  conversation: { kind: 'new', id },
  cwd: '/home/user/project',
  permissions: 'ask',
  extraArgs: [],
  binary: '/usr/bin/gemini',
  launchDir: '/w/.mam/run/h/L',
  hookScript: '/w/hook',
  mcpFiles: [],
  env: {},
};

describe('planLaunch', () => {
  it('starts a new conversation under our id', () => {
    const plan = planLaunch(request);
    expect(plan.argv).toEqual([
      ...['/usr/bin/gemini', '--approval-mode', 'default', '--session-id', id],
    ]);
    expect(plan.files).toEqual([]);
  });

  it('resumes exactly one, with what was asked for', () => {
    const conversation = { kind: 'resume', id } as const;
    const own = { permissions: 'skip', model: 'm', extraArgs: ['-e', 'none'] } as const;
    expect(planLaunch({ ...request, ...own, conversation }).argv.slice(1)).toEqual([
      ...['--yolo', '--resume', id, '--model', 'm', '-e', 'none'],
    ]);
  });
});

describe('card', () => {
  it('lets mam answer nothing but trust', () => {
    const policies = card.dialogs.map(({ id: rule, policy }) => [rule, policy]);
    const free = policies.filter(([, policy]) => policy !== 'never');
    expect(free).toEqual([['trust', 'trust']]);
  });

  it.each([
    ['trust', 'Trust folder (project)', "Don't trust"],
    ['permission-shell', 'Allow once', 'No, suggest changes (esc)'],
    ['permission-write', 'Allow once', 'No, suggest changes (esc)'],
  ])('knows yes and no of %s, and takes no wider one', (rule, yes, no) => {
    const found = card.dialogs.find((each) => each.id === rule);
    expect([found?.yes?.test(yes), found?.yes?.test(no)]).toEqual([true, false]);
    expect([found?.no?.test(no), found?.no?.test(yes)]).toEqual([true, false]);
    for (const wider of ['Allow for this session', 'Trust parent folder (home)'])
      expect(found?.yes?.test(wider)).toBe(false);
  });

  it('passes on nothing that would keep its launcher from starting it anew', () => {
    expect(card.envMarkers).toContain('GEMINI_CLI_NO_RELAUNCH');
  });
});
