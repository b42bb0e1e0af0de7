import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectSoundFleet } from '../support/fleet-check.ts';
import { isAlive } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
/** As in a sandbox: the same files and sockets, other processes. */
const wrap = ['unshare', ...asRoot, '--pid', '--fork', '--mount-proc'];

describe('from another pid namespace', () => {
  it('a session that runs is not judged, spoken to, resumed or stopped', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const before = await bed.session('a1');
    const inside = (...args: string[]) => bed.mam([...args, '--json'], { wrap });

    const [seen] = (await inside('status')).json.sessions;
    expect(seen.activity).toMatchObject({ state: 'unknown', detail: 'remote' });
    const sent = await inside('send', 'a1', 'hello');
    expect([sent.code, sent.json.delivery.state]).toEqual([9, 'refused']);
    for (const command of ['stop', 'resume']) {
      const { code, json } = await inside(command, 'a1');
      expect([code, json.failed[0].error.code]).toEqual([4, 'session.wrong-state']);
      expect(json.failed[0].error.message).toContain('pid namespace');
    }
    expect((await inside('resume', '--all')).json.sessions).toEqual([]);
    expect(isAlive(before.agent_pid)).toBe(true);

    const after = await bed.session('a1');
    expect([after.agent_pid, after.activity.state]).toEqual([before.agent_pid, 'idle']);
    await bed.ok(['send', 'a1', 'hello', '--wait', 'answered']);
    expect(bed.truth()).toHaveLength(1);
    await expectSoundFleet(bed);
  });

  it('a server whose socket cannot be seen either counts as living, and starts no second agent', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const before = await bed.session('a1');
    const hide = 'mount -t tmpfs -o mode=700 none "$0" && exec "$@"';
    const hidden = [...wrap, '--mount', 'sh', '-c', hide, dirname(bed.socket)];
    const inside = (...args: string[]) => bed.mam([...args, '--json'], { wrap: hidden });
    expect((await inside('status')).json.tmux.server).toBe('unreachable');
    expect((await inside('resume', 'a1')).code).not.toBe(0);
    const after = await bed.session('a1');
    expect([after.agent_pid, after.launch]).toEqual([before.agent_pid, before.launch]);
    expect(after.activity.state).toBe('idle');
  });

  it('a session whose server has ended is brought back: a container was started again', async () => {
    await using bed = await TestBed.open();
    await bed.ok(['create', 'a1', '--agent', 'demo', '--role', 'creator'], { wrap });
    const { status } = await bed.session('a1');
    expect(status).toBe('running');
    await until('its terminal has gone with the namespace', async () => {
      const { activity } = await bed.session('a1');
      return activity.state === 'lost';
    });
    const { json } = await bed.ok(['resume', 'a1', '--json']);
    expect(json.sessions[0]).toMatchObject({ status: 'running', activity: { state: 'idle' } });
  });
});
