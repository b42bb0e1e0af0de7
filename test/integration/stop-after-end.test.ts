import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('stop of a session whose agent has ended by itself', () => {
  it.each([
    ['crashed', '[[crash 7]]', 7],
    ['was killed', '[[kill]]', 137],
  ])('calls one that %s terminated, and brings it back', async (_, text, status) => {
    await using bed = await endedBed(text);
    const { json, stdout } = await bed.ok(['stop', 'a1', '--json']);
    expect(json.sessions, stdout).toMatchObject([
      {
        ...{ status: 'terminated', resumable: true, was_running: false, stopped_at: null },
        ended: { exit_code: status, by: 'user', reason: 'had ended before the stop' },
      },
    ]);
    expect((await bed.ok(['stop', 'a1'])).stdout).toContain('a1 had already ended');
    await bed.ok(['resume', 'a1']);
    const recalled = await bed.ok(['send', 'a1', 'recall', '--wait', 'answered']);
    expect(recalled.stdout).toContain('remember me');
    const stopped = await bed.ok(['stop', 'a1', '--json']);
    expect(stopped.json.sessions).toMatchObject([{ status: 'stopped', was_running: true }]);
  });

  it('calls one that ended with 0 stopped', async () => {
    await using bed = await endedBed('/exit');
    const { json } = await bed.ok(['stop', 'a1', '--json']);
    expect(json.sessions).toMatchObject([{ status: 'stopped', was_running: false }]);
    expect(json.sessions[0].stopped_at).not.toBeNull();
    expect((await bed.ok(['stop', 'a1'])).stdout).toContain('a1 was already stopped');
  });

  it('frees the name of one that crashed, and keeps that of one that was stopped', async () => {
    await using bed = await endedBed('[[crash 7]]');
    await bed.ok(['stop', 'a1']);
    await bed.create('a1');
    await bed.ok(['stop', 'a1']);
    const again = await bed.mam(['create', 'a1', '--agent', 'demo', '--role', 'creator']);
    expect(again.code).toBe(4);
  });
});

describe('a session that a stop was ending when it was killed', () => {
  it('is stopped for the next stop, whatever its status', async () => {
    await using bed = await termedBed();
    const { json } = await bed.ok(['stop', 'a1', '--json']);
    expect(json.sessions).toMatchObject([{ status: 'stopped', ended: { exit_code: 143 } }]);
  });

  it('is stopped for a resume that comes first', async () => {
    await using bed = await termedBed();
    const { signal } = await bed.mam(['resume', 'a1'], { crashAt: 'resume.settled' });
    expect(signal).toBe('SIGKILL');
    expect(await bed.session('a1')).toMatchObject({
      ...{ status: 'stopped', ended: { exit_code: 143, reason: 'found ended' } },
    });
  });
});

it('calls a session stopped whose agent was not up yet', async () => {
  await using bed = await TestBed.open();
  await bed.create('a1', ['--boot-ms', '60000'], ['--no-wait']);
  const { json } = await bed.ok(['stop', 'a1', '--json']);
  expect(json.sessions).toMatchObject([{ status: 'stopped' }]);
});

/** A busy agent got TERM from a stop that was killed then, and has ended of it. */
async function termedBed(): Promise<TestBed> {
  const bed = await TestBed.open();
  await bed.create('a1');
  await bed.ok(['send', 'a1', '[[delay 60000]]']);
  expect((await bed.mam(['stop', 'a1'], { crashAt: 'stop.2' })).signal).toBe('SIGKILL');
  await until('it ended', async () => {
    const { activity } = await bed.session('a1');
    return activity.detail === 'status 143';
  });
  return bed;
}

/** A session that was spoken to, and whose agent has ended after `text`. */
async function endedBed(text: string): Promise<TestBed> {
  const bed = await TestBed.open();
  await bed.create('a1');
  await bed.ok(['send', 'a1', 'remember me', '--wait', 'answered']);
  await bed.mam(['send', 'a1', text]);
  await until('it ended', async () => (await bed.session('a1')).activity.state === 'exited');
  return bed;
}

describe('mam stop --all', () => {
  it('ends the kept panes of what had crashed, and with them the server', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b']) await bed.create(name);
    process.kill((await bed.session('a')).agent_pid, 'SIGKILL');
    await bed.ok(['monitor', 'once']);
    const { stdout } = await bed.ok(['stop', '--all']);
    expect(stdout).toContain('a had already ended');
    expect(stdout).toContain('Stopped b');
    expect((await bed.session('a')).ended).toMatchObject({ by: 'user', exit_code: 137 });
    expect(bed.tmux('list-sessions').stdout).toBe('');
    expect((await bed.ok(['stop', '--all'])).stdout).toContain('No session runs.');
  });
});
