import { describe, expect, it } from 'vitest';
import type { ProbeVerdict } from '../../ports/agent-adapter.ts';
import { preflight } from './preflight.ts';

interface Ran {
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

function judge(id: string, { exitCode = 0, stdout = '', stderr = '' }: Ran): ProbeVerdict {
  const probe = preflight().find((each) => each.id === id);
  if (probe === undefined || !('judge' in probe)) throw new Error(`${id} runs no program`);
  return probe.judge({ exitCode, stdout, stderr });
}

describe('version', () => {
  it('is one whose screens are known, or newer', () => {
    expect(judge('version', { stdout: '1.3.1\n' })).toEqual({ ok: true, found: '1.3.1' });
    expect(judge('version', { stdout: '1.10.0\n' }).ok).toBe(true);
    expect(judge('version', { stdout: '1.0.9\n' })).toMatchObject({ code: 'agent.version' });
    expect(judge('version', {})).toMatchObject({ ok: false, found: 'no version' });
  });
});

describe('auth', () => {
  it('is missing when the program says so', () => {
    const stderr = 'Error: Please sign in to view available models. Launch the CLI without …';
    expect(judge('auth', { exitCode: 1, stderr })).toMatchObject({ code: 'agent.logged-out' });
    expect(judge('auth', { stdout: '[{"id":"x"}]' })).toEqual({ ok: true, found: 'signed in' });
  });

  it('is not decided by what cannot be read', () => {
    const stderr = 'flags provided but not defined: -output-format';
    expect(judge('auth', { exitCode: 2, stderr })).toEqual({ ok: true, found: 'sign-in unknown' });
  });
});

it('never lets a check replace the program, and asks no model', () => {
  for (const probe of preflight()) {
    if (!('args' in probe)) throw new Error(`${probe.id} is no program`);
    expect(probe.env).toEqual({ AGY_CLI_DISABLE_AUTO_UPDATE: 'true' });
    expect(probe.args.join(' ')).toMatch(/^(?:--version|--output-format json models)$/);
  }
});
