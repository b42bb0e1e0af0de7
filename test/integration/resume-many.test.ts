import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finished, TestBed } from '../support/test-bed.ts';

describe('mam resume --all', () => {
  it('brings some back at a time, tells of each, and reports what failed and why', async () => {
    await using bed = await TestBed.open();
    const booted = join(bed.root, 'booted');
    writeFileSync(booted, '');
    await bed.create('slow', ['--boot-until', booted]);
    await bed.create('bad', ['--exit-on-resume', 'Error: the disk of this agent is gone']);
    for (const name of ['a', 'b', 'c']) await bed.create(name);
    for (const name of ['slow', 'bad', 'a', 'b', 'c']) {
      await bed.ok(['send', name, `the word of ${name}`, '--wait', 'answered']);
    }
    bed.tmux('kill-server');

    rmSync(booted);
    const resuming = bed.start(['resume', '--all', '--json']);
    // It boots only once another one is back.
    resuming.stderr?.on('data', (chunk: Buffer) => {
      if (String(chunk).includes(' is back')) writeFileSync(booted, '');
    });
    const { code, json, stderr } = await finished(resuming);
    expect(code).toBe(5);
    expect(json.sessions.map(({ name }) => name)).toEqual(['slow', 'a', 'b', 'c']);
    expect(json.failed).toMatchObject([
      {
        name: 'bad',
        error: {
          code: 'agent.start-failed',
          message: expect.stringContaining('the disk of this agent is gone'),
        },
      },
    ]);
    const told = stderr.split('\n').filter((line) => / of 5: /.test(line));
    expect(told).toHaveLength(5);
    // One after the other, the first made would be the first that is told of.
    expect(told[0]).not.toContain('slow');
    expect(told).toContainEqual(expect.stringMatching(/^mam: \d of 5: slow is back$/));
    expect(told.filter((line) => line.endsWith('bad failed'))).toHaveLength(1);
    for (const name of ['slow', 'a', 'b', 'c']) {
      const { stdout } = await bed.ok(['send', name, 'recall', '--wait', 'answered']);
      expect(stdout).toContain(`the word of ${name}`);
    }
    await bed.ok(['stop', '--all']);
  });
});

describe('mam resume --when-limit-lifts', () => {
  it('waits until then, and has the agent go on once, whoever else wants it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.mam(['send', 'a', 'work [[limit 2]]', '--wait', 'answered']);
    const { until } = (await bed.session('a')).activity;
    const wait = ['resume', 'a', '--when-limit-lifts', '--json'];
    const [one, two] = await Promise.all([bed.mam(wait), bed.mam(wait)]);
    expect([one.code, two.code]).toEqual([0, 0]);
    const prompts = bed.truth().filter(({ mode }) => mode === 'prompt');
    expect(prompts.map(({ text }) => text)).toEqual([
      'work [[limit 2]]',
      'The usage limit has lifted. Please continue where you left off.',
    ]);
    expect(Date.parse(prompts[1]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(until ?? ''));
    await bed.ok(['stop', 'a']);
  });

  it('says when there is no limit, or none whose end is known', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const wait = ['resume', 'a', '--when-limit-lifts', '--json'];
    const free = await bed.mam(wait);
    expect([free.code, free.json.failed[0].error.message]).toEqual([
      4,
      'Session "a" is at no usage limit.',
    ]);
    await bed.mam(['send', 'a', '[[limit]]', '--wait', 'answered']);
    const unknown = await bed.mam(wait);
    expect([unknown.code, unknown.json.failed[0].error.message]).toEqual([
      4,
      expect.stringContaining('is not known'),
    ]);
    await bed.ok(['stop', 'a']);
    expect((await bed.mam(wait)).json.failed[0].error.message).toContain('is not known');
    const all = await bed.mam(['resume', '--all', '--when-limit-lifts', '--json']);
    expect([all.code, all.json.error.code]).toEqual([2, 'usage.invalid']);
  });
});
