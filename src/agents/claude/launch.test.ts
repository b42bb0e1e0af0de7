import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../ports/agent-adapter.ts';
import { planLaunch } from './launch.ts';

const id = '11111111-1111-4111-8111-111111111111';
const request: LaunchRequest = {
  sessionName: 'api',
  conversation: { kind: 'new', id },
  cwd: '/home/user/project',
  permissions: 'ask',
  extraArgs: [],
  binary: '/usr/bin/claude',
  launchDir: '/w/.mam/run/h/L',
  hookScript: "/w/it's/hook",
  mcpFiles: [],
  env: {},
};

describe('planLaunch', () => {
  it('starts a new conversation under our id', () => {
    expect(planLaunch(request).argv).toEqual([
      '/usr/bin/claude',
      ...['--permission-mode', 'default'],
      ...['--settings', '/w/.mam/run/h/L/settings.json'],
      ...['--session-id', id],
      ...['-n', 'api'],
    ]);
  });

  it('resumes exactly one', () => {
    const { argv } = planLaunch({ ...request, conversation: { kind: 'resume', id } });
    expect(argv.slice(5, 7)).toEqual(['-r', id]);
    expect(argv).not.toContain('--session-id');
  });

  it('skips permissions only when asked to', () => {
    const { argv } = planLaunch({ ...request, permissions: 'skip' });
    expect(argv[1]).toBe('--dangerously-skip-permissions');
    expect(argv).not.toContain('--permission-mode');
  });

  it('passes model, MCP files and further arguments, the latter last', () => {
    const { argv } = planLaunch({
      ...request,
      model: 'opus',
      mcpFiles: ['/a.json', '/b.json'],
      extraArgs: ['--add-dir', '/x'],
    });
    expect(argv.slice(9)).toEqual([
      ...['--model', 'opus'],
      ...['--mcp-config', '/a.json', '--mcp-config', '/b.json'],
      ...['--add-dir', '/x'],
    ]);
  });

  it('writes hooks that a project cannot switch off, with a time-out each', () => {
    const [file, ...rest] = planLaunch(request).files;
    const settings = JSON.parse(file?.content ?? '');
    expect(rest).toEqual([]);
    expect(file?.name).toBe('settings.json');
    expect(settings.disableAllHooks).toBe(false);
    expect(Object.keys(settings.hooks)).toEqual(
      expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'Stop', 'StopFailure']),
    );
    expect(settings.hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: "sh '/w/it'\\''s/hook' Stop", timeout: 5 }] },
    ]);
  });

  it('keeps Claude out of the alternate screen', () => {
    expect(planLaunch(request).env).toMatchObject({ CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1' });
  });
});
