import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const logOf = (bed: TestBed) => readFileSync(join(bed.cwd, '.mam/logs/monitor.log'), 'utf8');

async function withMonitor(bed: TestBed, fn: () => Promise<void>): Promise<void> {
  await bed.ok(['monitor', 'start']);
  try {
    await fn();
  } finally {
    await bed.ok(['monitor', 'stop']);
  }
}

async function crash(bed: TestBed, name: string): Promise<string> {
  const { agent_pid: pid, launch } = await bed.session(name);
  process.kill(pid, 'SIGKILL');
  return launch;
}

const isBackAfter = (bed: TestBed, name: string, launch: string) =>
  until(`${name} is back`, async () => {
    const session = await bed.session(name);
    return session.launch !== launch && session.activity.state === 'idle';
  });

describe('policies of the monitor', () => {
  it('brings a crashed agent back on its conversation, until the brake holds', async () => {
    await using bed = await TestBed.open();
    bed.configure('policies: { auto_resume: true, auto_resume_max: 1 }\n');
    await bed.create('a');
    await bed.ok(['send', 'a', 'remember me', '--wait', 'answered']);
    const { conversation_id: conversation } = await bed.session('a');
    await withMonitor(bed, async () => {
      await isBackAfter(bed, 'a', await crash(bed, 'a'));
      expect((await bed.session('a')).conversation_id).toBe(conversation);
      await bed.ok(['send', 'a', 'again', '--wait', 'answered']);
      expect(logOf(bed)).toContain('policy a: was resumed (its agent had crashed)');
      await crash(bed, 'a');
      await until('it is left', () => logOf(bed).includes('policy a: is not resumed again'));
      expect((await bed.session('a')).status).toBe('terminated');
    });
    expect(logOf(bed).match(/policy a: .*/g)).toEqual([
      'policy a: was resumed (its agent had crashed)',
      expect.stringContaining('policy a: is not resumed again'),
    ]);
  });

  it('leaves to a person what a person has stopped meanwhile, in its pause and in its queue', async () => {
    await using bed = await TestBed.open();
    bed.configure('policies: { auto_resume: true }\n');
    const names = ['a', 'b', 'c'];
    for (const name of names) await bed.create(name);
    await withMonitor(bed, async () => {
      await isBackAfter(bed, 'a', await crash(bed, 'a'));
      await crash(bed, 'a');
      await until('it is marked', async () => (await bed.session('a')).status === 'terminated');
      await bed.ok(['stop', 'a']);
      expect((await bed.session('a')).ended).toMatchObject({ by: 'user', exit_code: 137 });

      await until('it has connected', async () =>
        (await bed.ok(['monitor', 'status'])).stdout.includes('control mode on'),
      );
      bed.tmux('kill-server');
      await until('it is told', () => logOf(bed).includes('server-gone'));
      // One that is just being brought back is busy, and that is said.
      await until('they are stopped', async () => (await bed.mam(['stop', 'b', 'c'])).code === 0);
      await until('nothing waits', async () => {
        const { stdout } = await bed.ok(['monitor', 'status', '--json']);
        return JSON.parse(stdout).monitor.queues.policies === 0;
      });
      const left = await Promise.all(names.map((name) => bed.session(name)));
      expect(left.filter(({ status }) => status === 'running')).toEqual([]);
    });
  });

  it('takes settings in while it runs, and keeps those it has when the new ones cannot be read', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await withMonitor(bed, async () => {
      bed.configure('policies: { auto_resume: yes please }\n');
      await until('it is told', () =>
        /settings stay as they were: .*config\.yaml:1:\d+: policies\.auto_resume/.test(logOf(bed)),
      );
      bed.configure('policies: { auto_resume: true }\n');
      await until('they are taken in', () => logOf(bed).includes('The settings have changed'));
      await isBackAfter(bed, 'a', await crash(bed, 'a'));
      expect((await bed.ok(['monitor', 'status'])).stdout).toMatch(/^Running/);
    });
    expect(logOf(bed).match(/settings stay/g)).toHaveLength(1);
  });

  it('leaves what crashed where nothing else is said, and what somebody stopped', async () => {
    await using bed = await TestBed.open();
    for (const name of ['a', 'b']) await bed.create(name);
    await withMonitor(bed, async () => {
      await crash(bed, 'a');
      await until('it is marked', async () => (await bed.session('a')).status === 'terminated');
    });
    bed.configure('policies: { auto_resume: true, resume_at_start: true }\n');
    await bed.ok(['stop', 'b']);
    await bed.create('c');
    await withMonitor(bed, async () => {
      await isBackAfter(bed, 'c', await crash(bed, 'c'));
      expect((await bed.session('b')).status).toBe('stopped');
    });
  });

  it('resumes what ran when the server went away, when the monitor begins', async () => {
    await using bed = await TestBed.open();
    bed.configure('policies: { resume_at_start: true }\n');
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      await bed.create(name);
      await bed.ok(['send', name, `I am ${name}`, '--wait', 'answered']);
    }
    const before = await Promise.all(names.map((name) => bed.session(name)));
    bed.tmux('kill-server');
    await withMonitor(bed, async () => {
      for (const { name, launch } of before) await isBackAfter(bed, name, launch);
      const after = await Promise.all(names.map((name) => bed.session(name)));
      expect(after.map((each) => each.conversation_id)).toEqual(
        before.map((each) => each.conversation_id),
      );
      // Later it is a matter of auto_resume.
      bed.tmux('kill-server');
      await until('it is told', () => logOf(bed).includes('server-gone'));
      await until('two looks more', () => looks(bed));
      expect((await bed.session('a')).activity.state).toBe('lost');
    });
  });

  it('resumes all when the server goes away under it', async () => {
    await using bed = await TestBed.open();
    bed.configure('policies: { auto_resume: true }\n');
    const names = ['a', 'b', 'c'];
    for (const name of names) await bed.create(name);
    const before = await Promise.all(names.map((name) => bed.session(name)));
    await withMonitor(bed, async () => {
      await until('it has connected', async () =>
        (await bed.ok(['monitor', 'status'])).stdout.includes('control mode on'),
      );
      bed.tmux('kill-server');
      for (const { name, launch } of before) await isBackAfter(bed, name, launch);
    });
    expect(logOf(bed).match(/was resumed \(its tmux server had gone\)/g)).toHaveLength(3);
  });

  it('tells an agent to go on when its limit has lifted, once', async () => {
    await using bed = await TestBed.open();
    bed.configure('policies: { limit_lift: true }\n');
    await bed.create('a');
    await withMonitor(bed, async () => {
      await bed.mam(['send', 'a', 'work [[limit 3]]', '--wait', 'answered']);
      const { activity } = await bed.session('a');
      expect(activity).toMatchObject({ state: 'limited', until: expect.any(String) });
      await until('it went on', () => bed.truth().length === 2);
      expect(bed.truth()[1]?.text).toContain('The usage limit has lifted.');
      expect(Date.parse(bed.truth()[1]?.at ?? '')).toBeGreaterThanOrEqual(
        Date.parse(activity.until ?? ''),
      );
      await until('it is told', () => logOf(bed).includes('was told to continue'));
    });
    expect(bed.truth()).toHaveLength(2);
  });

  it('tells of approvals, limits, ends and drift by a command', async () => {
    await using bed = await TestBed.open();
    const told = join(bed.root, 'told');
    bed.configure(`notify: { command: [sh, -c, 'printf "%s\\n" "$MAM_NOTICE" >> ${told}'] }\n`);
    for (const name of ['a', 'b']) await bed.create(name);
    const notices = () =>
      existsSync(told)
        ? readFileSync(told, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [];
    const has = (event: string, session: string | null) =>
      until(`${event} is told`, () =>
        notices().some((each) => each.event === event && each.session === session),
      );
    await withMonitor(bed, async () => {
      await bed.ok(['send', 'a', '[[permission rm x]]']);
      await has('awaiting-approval', 'a');
      await bed.ok(['answer', 'a', 'yes']);
      await bed.ok(['send', 'b', '[[limit]]']);
      await has('limited', 'b');
      await crash(bed, 'a');
      await has('exited', 'a');
      bed.tmux('kill-server');
      await has('drift', null);
    });
    const about = (event: string) => notices().filter((each) => each.event === event);
    expect(about('awaiting-approval')).toHaveLength(1);
    expect(about('limited')).toHaveLength(1);
    expect(about('exited')).toEqual([
      expect.objectContaining({
        ...{ v: 1, workspace: bed.cwd, session: 'a', agent: 'demo', role: 'creator' },
        message: 'a: The agent ended with status 137.',
      }),
    ]);
  });
});

/** Looks that the monitor has done since this was first asked. */
const firstLooks = new Map<TestBed, number>();

async function looks(bed: TestBed): Promise<boolean> {
  const { stdout } = await bed.ok(['monitor', 'status']);
  const count = Number(/(\d+) look/.exec(stdout)?.[1]);
  const first = firstLooks.get(bed) ?? count;
  firstLooks.set(bed, first);
  return count >= first + 2;
}
