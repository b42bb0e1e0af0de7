import { describe, expect, it } from 'vitest';
import { configDir, mainFiles, projectKey } from './config-dir.ts';

describe('configDir', () => {
  it('is in the home unless the variable names another', () => {
    const env = { HOME: '/home/user' };
    expect(configDir(env)).toBe('/home/user/.claude');
    const moved = { ...env, CLAUDE_CONFIG_DIR: '/srv/claude' };
    expect(configDir(moved)).toBe('/srv/claude');
  });

  it('has its main file in a folder of its own, or beside the one in the home', () => {
    expect(mainFiles('/home/user/.claude')).toContain('/home/user/.claude.json');
    expect(mainFiles('/srv/claude')).toContain('/srv/claude/.claude.json');
  });
});

describe('projectKey (BL-22)', () => {
  it.each([
    ['/home/user/my_app', '-home-user-my-app'],
    ['/home/user/my.app', '-home-user-my-app'],
    ['/home/user/my-app', '-home-user-my-app'],
    ['/home/user/my app/.cfg', '-home-user-my-app--cfg'],
    ['/home/user/My proj_é.x', '-home-user-My-proj---x'],
    ['/home/user/e\u0301', '-home-user--'],
    ['/home/user/🙂', '-home-user---'],
  ])('of %s is %s', (path, key) => {
    expect(projectKey(path)).toBe(key);
  });

  it('cuts a long one and tells it apart by a hash', () => {
    const path = `/${'a'.repeat(250)}`;
    expect(projectKey(path)).toMatch(/^-a{199}-[0-9a-z]+$/);
    expect(projectKey(path)).not.toBe(projectKey(`${path}a`));
  });
});
