import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';
import { userTmux } from '../support/user-tmux.ts';

/** Each line breaks a tool that trusts its user's tmux. */
const HOSTILE = `
set -g base-index 1
setw -g pane-base-index 1
set -g destroy-unattached on
set -g remain-on-exit on
set -g renumber-windows on
set -g default-command "false"
set -g default-shell /bin/false
setw -g automatic-rename on
set -g status-right '#(sleep 5)'
set -g update-environment 'CLAUDECODE STALE'
set -g prefix C-a
setw -g window-size latest
set-hook -g session-created 'rename-window hijack'
set-hook -g after-new-session 'kill-session'
`;

describe("BL-11 the user's tmux settings", () => {
  it.each([
    ['an empty file', ''],
    ['a hostile one', HOSTILE],
  ])('change nothing: %s', async (_, config) => {
    await using bed = await TestBed.open();
    writeFileSync(join(bed.home, '.tmux.conf'), config);
    const { session } = (await bed.create('a1')).json;
    expect(session.pane.index).toBe(0);
    const first = await bed.ok(['send', 'a1', 'one', '--wait', 'answered']);
    expect(first.stdout).toBe('echo: one\n');
    expect((await bed.session('a1')).activity.state).toBe('idle');

    await bed.ok(['send', 'a1', '[[crash 3]]']);
    const ended = await until('the agent ended', async () => {
      const seen = await bed.session('a1');
      return seen.activity.state === 'exited' ? seen : undefined;
    });
    expect(ended.activity.detail).toBe('status 3');
    // The dead agent's pane is still there, and shows why.
    expect((await bed.ok(['capture', 'a1'])).stdout).toContain('ended with status 3');

    await bed.ok(['resume', 'a1']);
    const again = await bed.ok(['send', 'a1', 'two', '--wait', 'answered']);
    expect(again.stdout).toBe('echo: two\n');
    await bed.ok(['stop', 'a1']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['one', '[[crash 3]]', 'two', '/exit']);
    expect((await bed.ok(['status', '--json'])).json.tmux.server).toBe('none');
  });

  it('still reach the agent when the user split the window and looks at the other pane', async () => {
    await using bed = await TestBed.open();
    const { session } = (await bed.create('a1')).json;
    const target = session.tmux.pane_id;
    const split = ['split-window', '-t', target, '-P', '-F', '#{pane_id}'];
    const other = bed.tmux(...split, 'sh -c "echo other pane; exec cat"').stdout.trim();
    bed.tmux('select-pane', '-t', other);
    bed.tmux('rename-window', '-t', target, 'mine');
    bed.tmux('rename-session', '-t', session.tmux.session_id, 'renamed');
    bed.tmux('swap-pane', '-s', target, '-t', other);
    expect(bed.tmux('display-message', '-p', '-t', 'renamed:', '#{pane_id}').stdout.trim()).toBe(
      other,
    );

    const sent = await bed.ok(['send', 'a1', 'to the agent', '--wait', 'answered']);
    expect(sent.stdout).toBe('echo: to the agent\n');
    const screen = (await bed.ok(['capture', 'a1'])).stdout;
    expect(screen).toContain('echo: to the agent');
    expect(screen).not.toContain('other pane');
    expect(bed.tmux('capture-pane', '-p', '-t', other).stdout).not.toContain('to the agent');
    await bed.ok(['stop', 'a1']);
    expect(bed.tmux('list-sessions').code).not.toBe(0);
  });

  it("leave the user's own server and its options alone", async () => {
    await using bed = await TestBed.open();
    writeFileSync(join(bed.home, '.tmux.conf'), 'set -g @theirs 1\n');
    const { stdout: before } = userTmux(
      bed,
      'new-session',
      '-d',
      '-s',
      'own',
      ';',
      'show-options',
      '-g',
    );
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'hello']);
    await bed.ok(['stop', 'a1']);
    expect(userTmux(bed, 'show-options', '-g').stdout).toBe(before);
    expect(before).toContain('@theirs 1');
    expect(userTmux(bed, 'list-sessions', '-F', '#{session_name}').stdout).toBe('own\n');
    expect(userTmux(bed, 'list-buffers').stdout).toBe('');
  });
});
