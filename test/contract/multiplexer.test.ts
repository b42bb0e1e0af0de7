import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMamError } from '../../src/domain/errors.ts';
import type { PaneLook, ServerLook } from '../../src/ports/multiplexer.ts';
import { launchOf, TmuxRig, type TmuxRigOptions } from '../support/tmux-rig.ts';
import { makeTmuxShim } from '../support/tmux-shim.ts';
import { until } from '../support/until.ts';

const SLEEP = 'exec sleep 600';

/** Both ways to reach a server must do the same. */
describe.each(['process', 'control'] as const)('by %s', (mode) => {
  const newRig = (options: TmuxRigOptions = {}) => new TmuxRig({ ...options, mode });

  describe('multiplexer: paste', () => {
    it('gives a text once, bracketed and byte for byte, and keeps no buffer', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      rig.tmux('set-buffer', '-b', 'mine', 'of the user');
      const text = 'fix it; 日本 🙂\n-l #{pane_id} $HOME `id`\tend;';
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('done');
      const expected = `\x1b[200~${text}\x1b[201~`;
      await until('the text arrived', () => pane.bytes().length >= expected.length);
      expect(pane.bytes()).toBe(expected);
      expect(rig.tmux('list-buffers', '-F', '#{buffer_name}').stdout).toBe('mine\n');
      expect((await lookAt(rig, pane.paneId)).pasted).toBe(1);
    });

    it('types a text as keys when it is not bracketed', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text: '/exit' };
      expect(await rig.multiplexer.paste({ ...request, bracketed: false })).toBe('done');
      await until('the text arrived', () => pane.bytes() === '/exit');
    });

    it('takes 1 MiB whole', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const text = `HEAD ${'0123456789abcde\n'.repeat(65_535)} TAIL`;
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('done');
      await until('all of it arrived', () => pane.bytes().endsWith('\x1b[201~'));
      expect(pane.bytes()).toBe(`\x1b[200~${text}\x1b[201~`);
    });

    it.each([
      ['a number given before', 3],
      ['a smaller number', 2],
    ])('refuses %s', async (_, number) => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const request = { paneId: pane.paneId, launchId: launchOf('a'), bracketed: false };
      await rig.multiplexer.paste({ ...request, number: 3, text: 'first' });
      expect(await rig.multiplexer.paste({ ...request, number, text: 'again' })).toBe('refused');
      await expectUntouched(rig, pane, 'first');
    });

    it('refuses a pane in a tmux mode', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      rig.tmux('copy-mode', '-t', pane.paneId);
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text: ':q/' };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('refused');
      expect((await lookAt(rig, pane.paneId)).mode).toBe('copy-mode');
      await expectUntouched(rig, pane, '');
    });

    it('refuses a dead pane', async () => {
      await using rig = newRig();
      const pane = await rig.start('a', 'tmux set-option -w remain-on-exit on; exit 3');
      await until('it is dead', async () => (await lookAt(rig, pane.paneId)).dead);
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text: 'x' };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('refused');
      expect(rig.tmux('list-buffers').stdout).toBe('');
    });

    it('refuses a pane that is not there, and does not touch another one', async () => {
      await using rig = newRig();
      const other = await rig.recorder('a');
      const request = { paneId: '%99', launchId: launchOf('a'), number: 1, text: 'x' };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('refused');
      await expectUntouched(rig, other, '');
    });

    it('says that the server is gone', async () => {
      await using rig = newRig();
      const pane = await rig.start('a', SLEEP);
      rig.tmux('kill-server');
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 1, text: 'x' };
      expect(await rig.multiplexer.paste({ ...request, bracketed: true })).toBe('gone');
    });

    it.each(['%1;kill-server', '$1', 'a', '%', '#{pane_id}'])(
      'never names %s to tmux',
      async (id) => {
        await using rig = newRig();
        const request = { launchId: launchOf('a'), number: 1, text: 'x', bracketed: true };
        await expect(rig.multiplexer.paste({ ...request, paneId: id })).rejects.toThrow(
          /not a pane id/,
        );
      },
    );
  });

  describe('multiplexer: voidPaste', () => {
    it('settles for good that a number was not pasted', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      expect(await rig.multiplexer.voidPaste(pane.paneId, 4)).toBe('voided');
      expect(await rig.multiplexer.voidPaste(pane.paneId, 4)).toBe('voided');
      const request = { paneId: pane.paneId, launchId: launchOf('a'), text: 'late' };
      const late = await rig.multiplexer.paste({ ...request, number: 4, bracketed: true });
      expect(late).toBe('refused');
      await expectUntouched(rig, pane, '');
      const next = await rig.multiplexer.paste({ ...request, number: 5, bracketed: false });
      expect(next).toBe('done');
    });

    it('says that it was pasted', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const request = { paneId: pane.paneId, launchId: launchOf('a'), number: 4, text: 'x' };
      await rig.multiplexer.paste({ ...request, bracketed: true });
      expect(await rig.multiplexer.voidPaste(pane.paneId, 4)).toBe('pasted');
    });

    it('says that the pane or the server is gone', async () => {
      await using rig = newRig();
      await rig.start('a', SLEEP);
      expect(await rig.multiplexer.voidPaste('%99', 1)).toBe('gone');
      rig.tmux('kill-server');
      expect(await rig.multiplexer.voidPaste('%0', 1)).toBe('gone');
    });
  });

  describe('multiplexer: press', () => {
    it('presses once for a mark', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const { cursor } = await lookAt(rig, pane.paneId);
      const launchId = launchOf('a');
      const request = { paneId: pane.paneId, launchId, key: 'Enter', mark: 11, cursor } as const;
      expect(await rig.multiplexer.press(request)).toBe('done');
      expect(await rig.multiplexer.press(request)).toBe('refused');
      await until('it arrived', () => pane.bytes() !== '');
      await expectUntouched(rig, pane, '\r');
      expect((await lookAt(rig, pane.paneId)).pressed).toBe(11);
    });

    it('refuses when the cursor is elsewhere than the last look saw it', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const { cursor } = await lookAt(rig, pane.paneId);
      const moved = { x: cursor.x + 1, y: cursor.y };
      const launchId = launchOf('a');
      const request = {
        paneId: pane.paneId,
        launchId,
        key: 'Enter',
        mark: 11,
        cursor: moved,
      } as const;
      expect(await rig.multiplexer.press(request)).toBe('refused');
      await expectUntouched(rig, pane, '');
    });

    it('types nothing into a pane of another launch that has the same id', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      const { cursor } = await lookAt(rig, pane.paneId);
      const theirs = { paneId: pane.paneId, launchId: launchOf('b') };
      const paste = { ...theirs, number: 1, text: 'x', bracketed: false };
      expect(await rig.multiplexer.paste(paste)).toBe('refused');
      expect(await rig.multiplexer.press({ ...theirs, key: 'Enter', mark: 11, cursor })).toBe(
        'refused',
      );
      await expectUntouched(rig, pane, '');
    });

    it('refuses a mode, and a pane that is not there', async () => {
      await using rig = newRig();
      const pane = await rig.recorder('a');
      rig.tmux('copy-mode', '-t', pane.paneId);
      const { cursor } = await lookAt(rig, pane.paneId);
      const launchId = launchOf('a');
      const request = { paneId: pane.paneId, launchId, key: 'Enter', mark: 11, cursor } as const;
      expect(await rig.multiplexer.press(request)).toBe('refused');
      expect(await rig.multiplexer.press({ ...request, paneId: '%99' })).toBe('refused');
      await expectUntouched(rig, pane, '');
    });
  });

  describe('multiplexer: sessions', () => {
    it('puts the tags on the session that it makes, with several there', async () => {
      await using rig = newRig();
      const names = ['a', 'b', 'c', 'd'];
      const places = await Promise.all(names.map((name) => rig.start(name, SLEEP)));
      const look = await up(rig);
      expect(look.panes.length).toBe(4);
      for (const [i, name] of names.entries()) {
        const pane = look.panes.find(({ paneId }) => paneId === places[i]?.paneId);
        expect(pane).toMatchObject({
          sessionId: places[i]?.sessionId,
          sessionName: name,
          panePid: places[i]?.panePid,
          sessionTag: `ses_${name}`,
          launchTag: launchOf(name),
          workspaceTag: 'aaaaaaaaaaaaaaaa',
          cols: 140,
          rows: 40,
        });
      }
    });

    it('tells whose a pane is, in any script', async () => {
      await using rig = newRig();
      const ours = await rig.start('日本-2.x', SLEEP);
      rig.tmux('new-session', '-d', '-s', 'theirs', SLEEP);
      const theirs = (await up(rig)).panes.find(({ sessionName }) => sessionName === 'theirs');
      const identity = { name: '日本-2.x', role: 'creator', agent: 'demo' };
      expect(await rig.multiplexer.identify(ours.paneId)).toEqual(identity);
      expect(await rig.multiplexer.identify(theirs?.paneId ?? '')).toBeUndefined();
      expect(await rig.multiplexer.identify('%99')).toBeUndefined();
    });

    it('adopts a session that has no tags, once, and no other', async () => {
      await using rig = newRig();
      const ours = await rig.start('a', SLEEP);
      rig.tmux('new-session', '-d', '-s', 'b', SLEEP);
      const theirs = (await up(rig)).panes.find(({ sessionName }) => sessionName === 'b');
      const tags = { workspaceTag: 'aaaaaaaaaaaaaaaa', sessionTag: 'ses_b', launchTag: '01B' };
      const adopt = (sessionId: string) => rig.multiplexer.adopt({ sessionId, ...tags });
      expect(await adopt(theirs?.sessionId ?? '')).toBe(true);
      expect(await adopt(theirs?.sessionId ?? '')).toBe(false);
      expect(await adopt(ours.sessionId)).toBe(false);
      expect(await adopt('$99')).toBe(false);
      expect(await lookAt(rig, theirs?.paneId ?? '')).toMatchObject(tags);
      expect(await lookAt(rig, ours.paneId)).toMatchObject({ launchTag: launchOf('a') });
    });

    it('ends a session only for its own launch', async () => {
      await using rig = newRig();
      const one = await rig.start('a', SLEEP);
      await rig.start('a-2', SLEEP);
      await rig.multiplexer.killSession(one.sessionId, launchOf('a-2'));
      await rig.multiplexer.killSession('$99', launchOf('a'));
      expect((await up(rig)).panes.length).toBe(2);
      await rig.multiplexer.killSession(one.sessionId, launchOf('a'));
      await rig.multiplexer.killSession(one.sessionId, launchOf('a'));
      expect((await up(rig)).panes.map(({ sessionName }) => sessionName)).toEqual(['a-2']);
      rig.tmux('kill-server');
      await rig.multiplexer.killSession(one.sessionId, launchOf('a'));
    });

    it('refuses a name that a session of somebody else has', async () => {
      await using rig = newRig();
      await rig.start('a', SLEEP);
      rig.tmux('new-session', '-d', '-s', 'theirs', 'sleep', '600');
      const error = await rig.start('theirs', SLEEP).catch((thrown: unknown) => thrown);
      expect(isMamError(error, 'name.taken')).toBe(true);
      expect((await up(rig)).panes.length).toBe(2);
    });

    it.each([
      ['before it made the session', 'exit 1'],
      ['after it had made the session', '"$REAL" "$@" >/dev/null; exit 1'],
    ])('starts one session when the server goes away %s', async (_, then) => {
      await using rig = newRig({ program: '/nonexistent' });
      const once = join(rig.folder, 'once');
      const say = 'echo "server exited unexpectedly" >&2';
      const shim = makeTmuxShim(join(rig.folder, 'shim'), {
        before: `case " $* " in *" new-session "*) [ -e ${once} ] || { : >${once}; ${say}; ${then}; } ;; esac`,
      });
      await using shimmed = newRig({ program: shim.program });
      const place = await shimmed.start('a', SLEEP);
      const look = await up(shimmed);
      expect(look.panes.map(({ paneId, launchTag }) => [paneId, launchTag])).toEqual([
        [place.paneId, launchOf('a')],
      ]);
      expect(place.serverPid).toBe(look.pid);
    });

    it('keeps a server that has no session, and ends it when asked to', async () => {
      await using rig = newRig();
      const place = await rig.start('a', SLEEP);
      expect(await rig.multiplexer.killServerIfEmpty()).toBe('kept');
      await rig.multiplexer.killSession(place.sessionId, launchOf('a'));
      // The session that keeps a control client is not seen; the pid is.
      const pid = mode === 'control' ? place.serverPid : undefined;
      expect(await rig.multiplexer.look([])).toEqual({ server: 'up', pid, panes: [] });
      const next = await rig.start('b', SLEEP);
      expect(next.serverPid).toBe(place.serverPid);
      await rig.multiplexer.killSession(next.sessionId, launchOf('b'));
      await rig.disconnect();
      expect(await rig.multiplexer.killServerIfEmpty()).toBe('ended');
      expect(await rig.multiplexer.killServerIfEmpty()).toBe('none');
      expect((await rig.multiplexer.look([])).server).toBe('none');
    });

    it('starts the server with exactly the environment it was given', async () => {
      await using rig = newRig({ env: { CLEAN: '1' } });
      const file = join(rig.folder, 'env');
      await rig.start('a', 'env >"$1.new"; mv "$1.new" "$1"; exec sleep 600', file);
      const env = await until('it was written', () => readIfThere(file));
      expect(env).toContain('CLEAN=1\n');
      expect(env).not.toContain('VITEST');
    });
  });

  describe('multiplexer: look', () => {
    it('keeps UTF-8 whatever the locale is', async () => {
      await using rig = newRig({ env: { LC_ALL: 'C', LANG: 'C' } });
      const pane = await rig.start('a', `printf '✻ Herding… (5s)\\n❯ 日本'; ${SLEEP}`);
      rig.tmux('select-pane', '-t', pane.paneId, '-T', 'é | a: b');
      const seen = await until('it is drawn', async () => {
        const look = await lookAt(rig, pane.paneId);
        return look.captured?.includes('日本') ? look : undefined;
      });
      expect(seen.captured?.split('\n').slice(0, 2)).toEqual(['✻ Herding… (5s)', '❯ 日本']);
      expect(seen.title).toBe('é | a: b');
    });

    it.each(['@mam_seq', '@mam_ws', '@mam_launch'])(
      'keeps a text with lines and blanks in %s to its own pane',
      async (option) => {
        await using rig = newRig();
        const odd = await rig.start('a', SLEEP);
        const other = await rig.start('b', SLEEP);
        rig.tmux('set-option', '-p', '-t', odd.paneId, option, '1\n2 3\npane %9 $9');
        const { panes } = await up(rig, [other.paneId]);
        expect(panes.map(({ paneId, panePid }) => [paneId, panePid])).toEqual([
          [odd.paneId, odd.panePid],
          [other.paneId, other.panePid],
        ]);
        const tags = { workspaceTag: 'aaaaaaaaaaaaaaaa', sessionTag: 'ses_a', pressed: 0 };
        expect(panes[0]).toMatchObject(
          option === '@mam_ws' ? { ...tags, workspaceTag: '1\n2 3\npane %9 $9' } : tags,
        );
        expect(panes[1]).toMatchObject({ sessionTag: 'ses_b', launchTag: launchOf('b') });
      },
    );

    it('takes 100 screens in few calls, each its own', async () => {
      await using helper = newRig();
      const shim = makeTmuxShim(join(helper.folder, 'shim'));
      await using rig = newRig({ program: shim.program });
      await rig.start('p0', `echo screen 0.; ${SLEEP}`);
      for (let i = 1; i < 100; i++) {
        rig.tmux('new-window', '-d', '-t', '=p0:', `echo screen ${i}.; ${SLEEP}`);
      }
      const { panes } = await up(rig);
      expect(panes.length).toBe(100);
      const ids = panes.map(({ paneId }) => paneId);
      await until('all are drawn', async () => {
        const look = await rig.multiplexer.look(ids);
        return look.server === 'up' && look.panes.every((pane) => pane.captured?.includes('.'));
      });
      const before = shim.calls();
      const look = await up(rig, ids);
      expect(shim.calls() - before).toBe(mode === 'control' ? 0 : 2);
      const shown = look.panes.map(({ paneId, captured }) => [paneId, captured?.split('\n')[0]]);
      const order = (id: string) => Number(id.slice(1));
      expect(shown).toEqual(
        [...ids].sort((a, b) => order(a) - order(b)).map((id, i) => [id, `screen ${i}.`]),
      );
    });

    it('goes on behind a pane that is gone, and invents nothing for it', async () => {
      await using rig = newRig();
      const pane = await rig.start('a', `echo here; ${SLEEP}`);
      await until('it is drawn', async () => {
        const look = await up(rig, ['%77', pane.paneId]);
        return look.panes[0]?.captured?.startsWith('here');
      });
    });

    it('is not led astray by a screen that imitates its own lines', async () => {
      await using rig = newRig();
      const fake = 'mam-000000000000000000 pane %5 $5 1 0 0 140 40 0 0 0 0 - - - - x';
      const pane = await rig.start('a', `echo '${fake}'; echo 'mam- session'; ${SLEEP}`);
      await until('it is drawn', async () => {
        const look = await up(rig, [pane.paneId]);
        return look.panes.length === 1 && look.panes[0]?.captured?.startsWith(fake);
      });
    });

    it('says that there is no answer in time', async () => {
      await using helper = newRig();
      const shim = makeTmuxShim(join(helper.folder, 'shim'), { before: 'exec sleep 600' });
      await using rig = newRig({ program: shim.program, timeoutMs: 200 });
      const error = await rig.multiplexer.look([]).catch((thrown: unknown) => thrown);
      expect(isMamError(error, 'tmux.unreachable')).toBe(true);
    });

    it('says that tmux is missing, with what installs it', async () => {
      await using rig = newRig({ program: '/nonexistent/tmux' });
      const error = await rig.multiplexer.look([]).catch((thrown: unknown) => thrown);
      expect(isMamError(error, 'tmux.missing') && error.hint).toContain('install tmux');
    });
  });

  describe('multiplexer: files', () => {
    it('writes its options only when they differ, and as a whole', async () => {
      await using rig = newRig();
      await rig.start('a', SLEEP);
      const whole = readFileSync(rig.configFile, 'utf8');
      const before = statSync(rig.configFile, { bigint: true });
      await rig.start('b', SLEEP);
      expect(statSync(rig.configFile, { bigint: true })).toEqual(before);
      writeFileSync(rig.configFile, 'set -g mouse off\n');
      await rig.start('c', SLEEP);
      expect(readFileSync(rig.configFile, 'utf8')).toBe(whole);
      expect(statSync(rig.configFile).ino).not.toBe(Number(before.ino));
    });

    it('uses no socket in a folder that others can write to', async () => {
      await using rig = newRig();
      await rig.start('a', SLEEP);
      chmodSync(join(rig.folder, 'run'), 0o777);
      const error = await rig.multiplexer.look([]).catch((thrown: unknown) => thrown);
      expect(isMamError(error, 'workspace.untrusted')).toBe(true);
      chmodSync(join(rig.folder, 'run'), 0o700);
    });
  });
});

describe('by process: an answer', () => {
  it('fails on a line that it cannot read: never "no sessions"', async () => {
    await using helper = new TmuxRig();
    const shim = makeTmuxShim(join(helper.folder, 'shim'), {
      before: 'case " $* " in *" list-sessions "*) echo "garbage $* "; exit 0 ;; esac',
    });
    await using rig = new TmuxRig({ program: shim.program });
    await rig.start('a', SLEEP);
    const error = await rig.multiplexer.look([]).catch((thrown: unknown) => thrown);
    expect(isMamError(error, 'tmux.failed')).toBe(true);
  });
});

async function up(
  rig: TmuxRig,
  capture: readonly string[] = [],
): Promise<Extract<ServerLook, { server: 'up' }>> {
  const look = await rig.multiplexer.look(capture);
  if (look.server !== 'up') throw new Error(`no server: ${look.reason}`);
  return look;
}

async function lookAt(rig: TmuxRig, paneId: string): Promise<PaneLook> {
  const { panes } = await up(rig, [paneId]);
  const pane = panes.find((each) => each.paneId === paneId);
  if (!pane) throw new Error(`pane ${paneId} is gone`);
  return pane;
}

/** A text sent by tmux afterwards is the next that arrives: nothing was on its way. */
async function expectUntouched(
  rig: TmuxRig,
  pane: { readonly paneId: string; bytes(): string },
  soFar: string,
): Promise<void> {
  rig.tmux('send-keys', '-t', pane.paneId, '-X', 'cancel');
  rig.tmux('send-keys', '-t', pane.paneId, '-l', '<end>');
  await until('the end arrived', () => pane.bytes().endsWith('<end>'));
  expect(pane.bytes()).toBe(`${soFar}<end>`);
  expect(rig.tmux('list-buffers', '-F', '#{buffer_name}').stdout).toBe('');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
