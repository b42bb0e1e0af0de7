import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProcess } from '../support/processes.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('files that are not what they should be', () => {
  it.each(['config.yaml', 'workspace.json'])(
    'a pipe in the place of %s is said, not waited for',
    async (name) => {
      await using bed = await TestBed.open();
      const path = join(bed.cwd, '.mam', name);
      renameSync(path, `${path}.kept`);
      execFileSync('mkfifo', [path]);
      const { code, signal, stderr } = await bed.mam(['status'], { timeoutMs: 20_000 });
      expect([signal, code === 0]).toEqual([null, false]);
      expect(stderr).toContain(name);
    },
  );

  it('a spool that leads elsewhere takes nothing away there, and one that cannot be read stops nobody', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const spool = join(bed.cwd, '.mam/run', (await bed.session('a')).launch, 'spool');
    const theirs = join(bed.root, 'theirs');
    mkdirSync(theirs);
    writeFileSync(join(theirs, '1.2.mine'), '{}');
    renameSync(spool, `${spool}.kept`);
    symlinkSync(theirs, spool);
    await bed.mam(['send', 'a', 'hello', '--timeout', '5']);
    expect(readdirSync(theirs)).toContain('1.2.mine');
    execFileSync('rm', [spool]);
    renameSync(`${spool}.kept`, spool);
    symlinkSync('/proc/self/mem', join(spool, '1.1.Stop'));
    await bed.ok(['status']);
    await bed.ok(['stop', 'a']);
    expect(existsSync(theirs)).toBe(true);
  });

  it('events that tell nothing hide none that do', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['send', 'a', '[[delay 60000]]']);
    const spool = join(bed.cwd, '.mam/run', (await bed.session('a')).launch, 'spool');
    const later = Math.floor(Date.now() / 1_000) + 5;
    for (const i of [1, 2, 3]) writeFileSync(join(spool, `${later}.${i}.Whatever`), '{}');
    // The newest alone are taken from the registry, where these are once a command has drained them.
    await bed.mam(['send', 'a', 'x', '--timeout', '0']);
    await bed.ok(['monitor', 'once']);
    expect(readdirSync(spool)).toEqual([]);
    const { activity } = await bed.session('a');
    expect([activity.state, activity.source]).toEqual(['working', 'hook']);
    await bed.ok(['stop', 'a', '--grace-ms', '0']);
  });

  it('an agent that is stopped is made to go on before anything is typed', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const { agent_pid } = await bed.session('a');
    process.kill(agent_pid, 'SIGSTOP');
    await until('it is stopped', () => findProcess(agent_pid)?.state === 'T');
    const { activity } = await bed.session('a');
    expect(activity).toMatchObject({ state: 'unknown', source: 'process', detail: 'stopped' });
    const { json } = await bed.ok(['send', 'a', 'hello', '--json']);
    expect(json.delivery.state).toBe('submitted');
    await until('it has it once', () => bed.truth().length === 1);
    expect(bed.truth().map(({ text }) => text)).toEqual(['hello']);
  });
});
