import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const formats = ['underscores', 'escaped-tabs', 'raw'] as const;
const environments = ['of a user', 'of a service'] as const;
const cases = formats.flatMap((format) =>
  environments.map((environment) => [format, environment] as const),
);

describe('BL-12 separators and glyphs of a listing are replaced', () => {
  it.each(cases)('reads all states: %s, environment %s', async (format, environment) => {
    await using bed = await TestBed.open();
    const shim = makeTmuxShim(join(bed.root, 'shim'), { formats: format });
    const options = optionsOf(bed, shim.folder, environment);
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--json'];
    const { session } = (await bed.ok(create, options)).json;
    await bed.ok(['create', 'quiet', ...create.slice(2)], options);
    const title = 'work | in: progress';
    bed.tmux('select-pane', '-t', session.tmux.pane_id, '-T', title);
    await bed.ok(['send', 'a1', '[[spin]]'], options);

    const { json } = await bed.ok(['status', '--json'], options);
    const states = json.sessions.map((each: Listed) => [each.name, each.activity.state]);
    expect(states).toEqual([
      ['a1', 'working'],
      ['quiet', 'idle'],
    ]);
    expect(json.tmux.server).toBe('up');
    const rows = (await bed.ok(['status'], options)).stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(/ +/).slice(0, 5))).toEqual([
      ['a1', 'demo', 'creator', 'running', 'working'],
      ['quiet', 'demo', 'creator', 'running', 'idle'],
    ]);
    const { screen } = (await bed.ok(['capture', 'a1', '--json'], options)).json;
    expect(screen).toMatch(/✻ Working… \(\d+s\)/);
    expect(screen).toContain('❯ [[spin]]');

    // No hook tells of an interrupt: the screen's glyphs alone say that it is idle again.
    bed.tmux('send-keys', '-t', session.tmux.pane_id, 'Escape');
    const idle = await until('the screen says that it is idle', async () => {
      const [seen] = (await bed.ok(['status', 'a1', '--json'], options)).json.sessions;
      return seen.activity.state === 'idle' ? seen : undefined;
    });
    expect(idle.activity.source).toBe('screen');
    const stopped = await bed.ok(['stop', '--all', '--json'], options);
    expect(stopped.json.sessions.map((each: Stopped) => each.ended_by)).toEqual(['exit', 'exit']);
    expect(shim.calls()).toBeGreaterThan(10);
  });

  it('reads all sessions when a person has put lines into an option of one', async () => {
    await using bed = await TestBed.open();
    await bed.create('odd');
    await bed.create('other');
    const { pane_id } = (await bed.session('odd')).tmux;
    bed.tmux('set-option', '-p', '-t', pane_id, '@mam_seq', 'by hand\non two lines');
    const { json } = await bed.ok(['status', '--json']);
    const states = json.sessions.map((each: Listed) => [each.name, each.activity.state]);
    expect(states).toEqual([
      ['odd', 'idle'],
      ['other', 'idle'],
    ]);
    await bed.ok(['send', 'other', 'hello', '--wait', 'answered']);
    const stopped = await bed.ok(['stop', '--all', '--json']);
    expect(stopped.json.sessions.map((each: Listed) => each.name)).toEqual(['odd', 'other']);
  });
});

interface Listed {
  readonly name: string;
  readonly activity: { readonly state: string };
}

interface Stopped {
  readonly ended_by: string;
}

/** A service starts us with nearly nothing: no locale, no terminal. */
function optionsOf(bed: TestBed, shim: string, kind: (typeof environments)[number]): RunOptions {
  const PATH = `${shim}:${bed.env.PATH}`;
  if (kind === 'of a user') return { env: { PATH } };
  const nothing = Object.fromEntries(Object.keys(bed.env).map((name) => [name, undefined]));
  return { env: { ...nothing, PATH, HOME: bed.home } };
}
