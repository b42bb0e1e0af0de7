import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finished, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const PANE = ['-t', '=demo-creator-a1:'] as const;
const texts = (bed: TestBed) => bed.truth().map(({ mode, text }) => [mode, text]);
const prompts = (...wanted: readonly string[]) => wanted.map((text) => ['prompt', text]);

/** A delivery that waits has its text in the launch folder. */
async function untilQueued(bed: TestBed, count = 1): Promise<void> {
  const run = join(bed.cwd, '.mam', 'run');
  const isText = (name: string) => /delivery-.*\.txt$/.test(name);
  await until('the text is stored', () => {
    const names = readdirSync(run, { recursive: true, encoding: 'utf8' });
    return names.filter(isText).length === count;
  });
}

async function makeBusy(bed: TestBed): Promise<void> {
  await bed.ok(['send', 'a1', '[[delay 100000]]']);
}

function interruptTurn(bed: TestBed): void {
  bed.tmux('send-keys', ...PANE, 'Escape');
}

describe('a dialog that opens between typing and Enter', () => {
  it('gets no key; the text waits below it and goes out once after the answer', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--dialog-on-paste']);
    const { code, json } = await bed.mam(['send', 'a1', '1 more', '--id', 'd1', '--json']);
    expect(code).toBe(9);
    expect(json.delivery).toMatchObject({ state: 'typed', reason: 'dialog: permission' });
    expect((await bed.session('a1')).activity.state).toBe('awaiting-approval');
    const other = await bed.mam(['send', 'a1', 'other', '--json']);
    expect(other.code).toBe(9);
    expect(other.json.delivery).toMatchObject({ state: 'refused', reason: 'dialog: permission' });
    expect(texts(bed)).toEqual([]);

    await bed.ok(['answer', 'a1', 'no']);
    expect(texts(bed)).toEqual(prompts('1 more'));
    const again = await bed.ok(['send', 'a1', '1 more', '--id', 'd1', '--json']);
    expect(again.json.delivery).toMatchObject({ state: 'submitted', reason: null });
    expect(texts(bed)).toEqual(prompts('1 more'));
  });

  it('is answered by a person, and the next command goes on', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--dialog-on-paste']);
    expect((await bed.mam(['send', 'a1', 'first'])).code).toBe(9);
    bed.tmux('send-keys', ...PANE, 'Escape');
    await bed.ok(['send', 'a1', 'second']);
    expect(texts(bed)).toEqual(prompts('first', 'second'));
  });
});

describe('a tmux mode that is entered between typing and Enter', () => {
  it('gets no key; the text goes out once when the mode was left', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const send = ['send', 'a1', 'once', '--id', 'd1', '--json'];
    await bed.mam(send, { crashAt: 'delivery.6' });
    bed.tmux('copy-mode', ...PANE);
    const { code, json } = await bed.mam(send);
    expect(code).toBe(9);
    expect(json.delivery).toMatchObject({ state: 'typed', reason: 'mode: copy-mode' });
    bed.tmux('send-keys', ...PANE, '-X', 'cancel');
    await bed.ok(send);
    expect(texts(bed)).toEqual(prompts('once'));
  });
});

describe('a text that an agent did not take', () => {
  it('is named when it is in the way, and --again presses Enter for it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--absorb-ms', '60000', '--absorb-count', '3']);
    const first = await bed.mam(['send', 'a1', 'once', '--id', 'd1', '--json']);
    expect(first.code).toBe(6);
    expect(first.json.delivery.reason).toContain('swallowed 3 times');
    const other = await bed.mam(['send', 'a1', 'other', '--json']);
    expect(other.code).toBe(9);
    expect(other.json.delivery.reason).toMatch(/^draft: .*delivery d1, which was not submitted/);
    const again = await bed.ok(['send', 'a1', 'once', '--id', 'd1', '--again', '--json']);
    expect(again.json.delivery).toMatchObject({ state: 'submitted', again_of: 'd1' });
    expect(texts(bed)).toEqual(prompts('once'));
  });

  it('counts as submitted when a person pressed Enter for it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--absorb-ms', '60000', '--absorb-count', '3']);
    expect((await bed.mam(['send', 'a1', 'once', '--id', 'd1'])).code).toBe(6);
    bed.tmux('send-keys', ...PANE, 'Enter');
    await until('it is taken', () => bed.truth().length === 1);
    await bed.ok(['status', 'a1', '--wait', 'idle']);
    const again = await bed.ok(['send', 'a1', 'once', '--id', 'd1', '--again', '--json']);
    expect(again.json.delivery).toMatchObject({ id: 'd1', state: 'submitted' });
    expect(texts(bed)).toEqual(prompts('once'));
  });

  it("is not mistaken for a person's draft", async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    bed.tmux('send-keys', ...PANE, '-l', 'half a thought');
    await until('the draft is shown', () =>
      bed.tmux('capture-pane', '-p', ...PANE).stdout.includes('half a thought'),
    );
    const { code, json } = await bed.mam(['send', 'a1', 'half a thought', '--json']);
    expect(code).toBe(9);
    expect(json.delivery.reason).toBe('draft: its composer holds a draft that is not ours');
    expect(texts(bed)).toEqual([]);
  });
});

describe('a command that is interrupted while it waits', () => {
  it('ends with 130 and leaves the delivery queued for the next command', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await makeBusy(bed);
    const waiting = bed.start(['send', 'a1', 'once', '--id', 'd1', '--json']);
    const ended = finished(waiting);
    await untilQueued(bed);
    waiting.kill('SIGINT');
    const { code, json } = await ended;
    expect(code).toBe(130);
    expect(json.error.code).toBe('interrupted');
    interruptTurn(bed);
    await bed.ok(['send', 'a1', 'second']);
    const { json: first } = await bed.ok(['send', 'a1', 'once', '--id', 'd1', '--json']);
    expect(first.delivery.state).toBe('submitted');
    expect(texts(bed).slice(1)).toEqual(prompts('once', 'second'));
  });

  it('is told at once when the session is stopped', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await makeBusy(bed);
    const waiting = bed.mam(['send', 'a1', 'once', '--id', 'd1', '--json']);
    await untilQueued(bed);
    await bed.ok(['stop', 'a1']);
    const { code, json } = await waiting;
    expect(code).toBe(4);
    expect(json.delivery.state).toBe('refused');
    expect(json.delivery.reason).toMatch(/^stopped/);
  });

  it('goes out in the order of asking once the agent is free', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await makeBusy(bed);
    const waiting: Promise<unknown>[] = [];
    for (let i = 1; i <= 3; i++) {
      waiting.push(bed.ok(['send', 'a1', `waits ${i}`]));
      await untilQueued(bed, i);
    }
    interruptTurn(bed);
    await Promise.all(waiting);
    expect(texts(bed).slice(1)).toEqual(prompts('waits 1', 'waits 2', 'waits 3'));
  });

  it('leaves it queued when the time is over', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await makeBusy(bed);
    const send = ['send', 'a1', 'once', '--id', 'd1', '--json'];
    const { code, json } = await bed.mam([...send, '--timeout', '1']);
    expect(code).toBe(8);
    expect(json.delivery).toMatchObject({ state: 'queued', reason: 'timeout' });
    interruptTurn(bed);
    expect((await bed.ok(send)).json.delivery.state).toBe('submitted');
    expect(texts(bed).slice(1)).toEqual(prompts('once'));
  });
});
