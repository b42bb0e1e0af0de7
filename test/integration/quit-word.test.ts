import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';

it('does not type the quit word behind what a person began to type after the look', async () => {
  await using bed = await TestBed.open();
  await bed.create('a1');
  const { pane_id: pane } = (await bed.session('a1')).tmux;
  // A person is quicker than the paste: its command list waits until the cursor has moved.
  const real = `"$REAL" -S ${bed.socket}`;
  const cursor = `${real} display-message -p -t '${pane}' '#{cursor_x}' </dev/null`;
  const shim = makeTmuxShim(join(bed.root, 'shim'), {
    before: `case " $* " in *" load-buffer "*)
      was=$(${cursor})
      ${real} send-keys -l -t '${pane}' 'mine' </dev/null
      while [ "$(${cursor})" = "$was" ]; do sleep 0.02; done ;;
    esac`,
  });
  const env = { PATH: `${shim.folder}:${bed.env.PATH}` };
  expect((await bed.mam(['stop', 'a1'], { crashAt: 'stop.2', env })).signal).toBe('SIGKILL');
  expect(bed.tmux('display-message', '-p', '-t', pane, '#{@mam_seq}').stdout.trim()).toBe('');
  const { json } = await bed.ok(['stop', 'a1', '--json']);
  expect(json.sessions[0]).toMatchObject({ status: 'stopped', ended: { exit_code: 143 } });
  expect(json.sessions[0].last_visible_status_at_termination).not.toContain('/exit');
});
