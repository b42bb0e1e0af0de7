import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const COMMAND = '/model small';

function send(bed: TestBed, ...rest: readonly string[]) {
  return bed.mam(['send', 'a1', COMMAND, '--json', ...rest]);
}

const commands = (bed: TestBed) => bed.truth().filter(({ mode }) => mode === 'command').length;

describe('a repeat', () => {
  it('is made once for an id, also when it was killed and another command settled it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--eat-command']);
    const first = await send(bed, '--id', 'd1');
    expect([first.code, first.json.delivery.state]).toEqual([6, 'unknown']);
    expect(first.stderr).toContain('--id d1 --again');
    const again = ['send', 'a1', COMMAND, '--id', 'd1', '--again'];
    expect((await bed.mam(again, { crashAt: 'delivery.8' })).signal).toBe('SIGKILL');
    // Nothing proves a command whose screen nobody saw before: who comes next can only say so.
    await bed.ok(['send', 'a1', 'next']);
    const asked = await send(bed, '--id', 'd1', '--again');
    expect([asked.code, asked.json.delivery]).toMatchObject([
      6,
      { id: 'd1.again.1', state: 'unknown', again_of: 'd1' },
    ]);
    expect(asked.stderr).toContain('--id d1.again.1 --again');
    expect(commands(bed)).toBe(1);

    const second = await send(bed, '--id', 'd1.again.1', '--again');
    expect([second.code, second.json.delivery]).toMatchObject([
      0,
      { id: 'd1.again.2', state: 'submitted', again_of: 'd1.again.1' },
    ]);
    expect(commands(bed)).toBe(2);
  });

  it('whose id somebody used for another text is a conflict', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--eat-command']);
    expect((await send(bed, '--id', 'd1')).code).toBe(6);
    await bed.ok(['send', 'a1', 'another', '--id', 'd1.again.1']);
    const { code, json } = await send(bed, '--id', 'd1', '--again');
    expect([code, json.error.code]).toEqual([4, 'delivery.conflict']);
    expect(commands(bed)).toBe(0);
  });
});

describe('a delivery whose Enter was not committed', () => {
  it('is unknown, not lost, when keys of another command have taken its mark’s place', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const text = ['send', 'a1', COMMAND, '--id', 'd1'];
    expect((await bed.mam(text, { crashAt: 'delivery.8' })).signal).toBe('SIGKILL');
    // As an answer to a dialog leaves it.
    const { tmux } = await bed.session('a1');
    bed.tmux('set-option', '-p', '-t', tmux.pane_id, '@mam_enter', '9001');
    const { code, json } = await send(bed, '--id', 'd1');
    expect([code, json.delivery.state]).toEqual([6, 'unknown']);
    expect(commands(bed)).toBe(1);
  });
});
