import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finished, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const demo = ['--agent', 'demo', '--role', 'creator'];

/** More than a pipe holds: all of it is written only when somebody reads. */
const MUCH = 'x'.repeat(300_000);

describe('Ctrl-C', () => {
  it.each([
    ['send', ['send', 'a', '-']],
    ['create', ['create', 'b', ...demo, '--prompt', '-']],
    ['resume', ['resume', 'a', '--prompt', '-']],
  ])(
    'ends %s while it reads its prompt from a standard input that gives nothing',
    async (_, args) => {
      await using bed = await TestBed.open();
      await bed.create('a');
      const child = bed.start(args);
      const code = new Promise((resolve) => child.on('close', resolve));
      child.stdin?.write(MUCH);
      await until('it reads', () => child.stdin?.writableLength === 0);
      child.kill('SIGINT');
      expect(await code).toBe(130);
      expect(bed.truth()).toEqual([]);
    },
  );

  it('during stop leaves no word of ours in the composer', async () => {
    await using bed = await TestBed.open();
    for (const [i, name] of ['a', 'b', 'c', 'd'].entries()) {
      await bed.create(name);
      const stopping = bed.start(['stop', name, '--verbose']);
      const ended = finished(stopping);
      await until('it is under way', async () => {
        const { screen } = (await bed.ok(['capture', name, '--json'])).json;
        // At several moments: before the word, while it is there, after it.
        return i === 0 || screen.includes('/exit') || stopping.exitCode !== null;
      }).catch(() => undefined);
      stopping.kill('SIGINT');
      await ended;
      const { activity } = await bed.session(name);
      if (activity.state === 'idle') {
        const { code, json } = await bed.mam(['send', name, 'still there?', '--json']);
        expect([code, json.delivery?.state]).toEqual([0, 'submitted']);
      }
    }
    await bed.ok(['stop', '--all']);
  });

  it('says what waits, and what was made', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['send', 'a', '[[delay 60000]]']);
    const sending = bed.start(['send', 'a', 'later', '--id', 'q1']);
    const sent = finished(sending);
    await until('it waits', async () => {
      const { json } = await bed.mam([
        'send',
        'a',
        'later',
        '--id',
        'q1',
        '--timeout',
        '0',
        '--json',
      ]);
      return json.delivery?.state === 'queued';
    });
    sending.kill('SIGINT');
    const { code, stderr } = await sent;
    expect([code, stderr]).toEqual([130, expect.stringContaining('delivery q1 waits')]);

    const creating = bed.start(['create', 'b', ...demo, '--', '--never-ready']);
    const created = finished(creating);
    await until('it is recorded', async () => {
      const { json } = await bed.ok(['status', '--json']);
      return json.sessions.some(({ name }) => name === 'b');
    });
    creating.kill('SIGINT');
    const made = await created;
    expect([made.code, made.stderr]).toEqual([
      130,
      expect.stringContaining('"b" was started, and runs'),
    ]);
    await bed.ok(['stop', '--all', '--grace-ms', '0']);
  });
});

describe('a start that fails', () => {
  it('leaves no tmux server behind', async () => {
    await using bed = await TestBed.open();
    const { code } = await bed.mam(['create', 'd', ...demo, '--', '--foo']);
    expect(code).toBe(5);
    expect(bed.tmux('list-sessions').stderr).toMatch(/no server running|error connecting/);
  });

  it('makes no workspace of the user for a command that only speaks to one', async () => {
    await using bed = new TestBed();
    for (const args of [
      ['stop', '--all'],
      ['send', 'x', 'hi'],
      ['resume', '--all'],
      ['monitor', 'once'],
    ]) {
      const { code, json } = await bed.mam([...args, '--json']);
      expect([args, code, json.error.code]).toEqual([args, 5, 'workspace.missing']);
      expect(json.error.hint).toBe('mam init makes one in this folder');
    }
    expect(existsSync(join(bed.home, '.mam'))).toBe(false);
  });
});
