import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Pty } from '../support/pty.ts';
import { bundleFolder, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';
import { userTmux } from '../support/user-tmux.ts';

const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator'];

describe('BL-14 started from inside tmux', () => {
  it('keeps the session on our server, whatever TMUX says', async () => {
    await using bed = await TestBed.open();
    const dump = join(bed.root, 'env.json');
    userTmux(bed, 'new-session', '-d', '-s', 'user', '-x', '100', '-y', '30', 'cat');
    const made = await inUserPane(bed, [...create, '--json', '--', '--env-dump', dump]);
    expect(made.code).toBe(0);
    const { session } = JSON.parse(made.out);
    expect(session.tmux.socket).toBe(bed.socket);
    const seen = await inUserPane(bed, ['status', 'a1', '--json']);
    expect(JSON.parse(seen.out).sessions[0].activity.state).toBe('idle');
    expect(userTmux(bed, 'list-sessions', '-F', '#{session_name}').stdout).toBe('user\n');

    const agentEnv = JSON.parse(readFileSync(dump, 'utf8'));
    expect(Object.keys(agentEnv).filter((name) => name.startsWith('TMUX'))).toEqual([]);

    // From a terminal that knows nothing of that server.
    expect((await bed.session('a1')).id).toBe(session.id);
    const stopped = await bed.ok(['stop', 'a1', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ was_running: true, survivors: [] });
    expect(userTmux(bed, 'list-sessions', '-F', '#{session_name}').stdout).toBe('user\n');
  });

  it('prints the command to attach instead of nesting', async () => {
    await using bed = await TestBed.open();
    const { session } = (await bed.ok([...create, '--json'])).json;
    userTmux(bed, 'new-session', '-d', '-s', 'user', '-x', '100', '-y', '30', 'cat');
    const refused = await inUserPane(bed, ['attach', 'a1']);
    expect(refused.code).toBe(9);
    const target = `attach-session -t '${session.tmux.session_id}'`;
    expect(refused.err).toContain(`env -u TMUX tmux -u -S ${bed.socket} ${target}`);
    const json = JSON.parse((await inUserPane(bed, ['attach', 'a1', '--json'])).out);
    expect(json.error).toMatchObject({ code: 'attach.nested' });
    expect(bed.tmux('list-clients').stdout).toBe('');
    expect((await bed.session('a1')).activity.state).toBe('idle');

    // The printed command works as it stands, in a terminal of its own.
    const command = /env -u TMUX .*$/m.exec(refused.err)?.[0] ?? '';
    await using terminal = new Pty(['sh', '-c', command], { cwd: bed.cwd, env: bed.env });
    await until('it is attached', () => bed.tmux('list-clients').stdout !== '');
    bed.tmux('detach-client', '-s', session.tmux.session_id);
    expect(await terminal.end()).toBe(0);
  });

  it('switches the client when it is on our server already', async () => {
    await using bed = await TestBed.open();
    const { session } = (await bed.ok([...create, '--json'])).json;
    const shell = ['new-session', '-d', '-s', 'shell', '-x', '100', '-y', '30'];
    bed.tmux(...shell, '-e', `PATH=${bed.env.PATH}`, '-e', `HOME=${bed.home}`, 'sh');
    const attach = ['tmux', '-u', '-S', bed.socket, 'attach-session', '-t', 'shell'];
    await using terminal = new Pty(attach, { cwd: bed.cwd, env: bed.env });
    const clients = () => bed.tmux('list-clients', '-F', '#{session_id}').stdout.trim();
    await until('a client is there', () => clients() !== '');
    const mam = `${process.execPath} ${join(bundleFolder('shipped'), 'mam.js')}`;
    terminal.write(`cd ${bed.cwd}; ${mam} attach a1; echo ended with $?\r`);
    await until('the client shows a1', () => clients() === session.tmux.session_id);
    await until('its screen is there', () => terminal.output.includes('ask mode on'));
    expect(bed.tmux('list-clients').stdout.trim().split('\n').length).toBe(1);
    const shown = bed.tmux('capture-pane', '-p', '-t', 'shell:').stdout;
    expect(shown).toContain('ended with 0');
  });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs mam in a new window of the user's own tmux server, with the TMUX that tmux sets there. */
async function inUserPane(bed: TestBed, args: readonly string[]): Promise<Ran> {
  const run = join(bed.root, `run-${++runs}`);
  const mam = [process.execPath, join(bundleFolder('shipped'), 'mam.js'), ...args];
  const words = mam.map((word) => `'${word}'`).join(' ');
  const script = `cd ${bed.cwd}; ${words} >${run}.out 2>${run}.err; echo $? >${run}.tmp; mv ${run}.tmp ${run}.code`;
  userTmux(bed, 'new-window', '-d', '-t', 'user:', script);
  const code = await until('mam ended in the pane', () => readIfThere(`${run}.code`));
  return {
    code: Number(code),
    out: readFileSync(`${run}.out`, 'utf8'),
    err: readFileSync(`${run}.err`, 'utf8'),
  };
}

let runs = 0;

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
