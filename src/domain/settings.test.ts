import { describe, expect, it } from 'vitest';
import { defaultSettings, withoutPowers } from './settings.ts';

describe('withoutPowers', () => {
  it('sets aside what starts programs, sends away or acts unasked', () => {
    const { settings, ignored } = withoutPowers({
      create: { ...defaultSettings.create, permissions: 'skip', timeoutMs: 5 },
      tmux: { path: './tmux', controlMode: false },
      activity: { staleMs: 1 },
      policies: { ...defaultSettings.policies, autoResume: true },
      notify: { ...defaultSettings.notify, webhook: 'https://example.org/x' },
      log: { level: 'debug' },
    });
    expect(ignored).toEqual(['create.permissions', 'tmux.path', 'policies', 'notify']);
    expect(settings).toEqual({
      ...defaultSettings,
      create: { ...defaultSettings.create, timeoutMs: 5 },
      tmux: { ...defaultSettings.tmux, controlMode: false },
      activity: { staleMs: 1 },
      log: { level: 'debug' },
    });
  });

  it('sets nothing aside of the defaults', () => {
    expect(withoutPowers(defaultSettings)).toEqual({ settings: defaultSettings, ignored: [] });
  });
});
