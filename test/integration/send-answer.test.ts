import { describe, expect, it } from 'vitest';
import { type CliResult, finished, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

/** Longer than any of these tests may take: who sits until then, fails. */
const TIMEOUT_S = '100';

function ask(bed: TestBed, text: string, ...rest: readonly string[]): Promise<CliResult> {
  const wait = ['--wait', 'answered', '--timeout', TIMEOUT_S, '--json'];
  return bed.mam(['send', 'a1', text, ...wait, ...rest]);
}

describe('mam send --wait answered', () => {
  it('prints the answer, and has it again for the same id', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { code, json } = await ask(bed, '[[delay 500]] [[say 42]]', '--id', 'q1');
    expect(code).toBe(0);
    expect(json.delivery).toMatchObject({ state: 'answered', answer: '42', reason: null });
    const again = await ask(bed, '[[delay 500]] [[say 42]]', '--id', 'q1');
    expect(again.json.delivery).toMatchObject({ state: 'answered', answer: '42' });
    const plain = await bed.ok(['send', 'a1', '[[say only this]]', '--wait', 'answered']);
    expect(plain.stdout).toBe('only this\n');
    expect(bed.truth()).toHaveLength(2);
  });

  it('says of an id that was used that its delivery was made before', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const send = ['send', 'a1', 'hello', '--id', 'q1'];
    const first = await bed.ok(send);
    expect([first.stdout, first.stderr]).toEqual(['Delivery q1: submitted, proven by hook\n', '']);
    const before =
      /^Delivery q1: (submitted|answered), proven by hook; made before, at \S+Z: nothing was typed now\n$/;
    expect((await bed.ok(send)).stdout).toMatch(before);
    const answered = await bed.ok([...send, '--wait', 'answered']);
    expect(answered.stdout).toBe('echo: hello\n');
    const note = /^mam: delivery q1 was made before, at \S+Z: nothing was typed now\n$/;
    expect(answered.stderr).toMatch(note);
    const { json, stderr } = await bed.ok([...send, '--json']);
    expect(json.delivery.id).toBe('q1');
    expect(stderr).toMatch(note);
    expect(bed.truth()).toHaveLength(1);
  });

  it('waits for the answer of a text that was sent before', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', '[[delay 1500]] [[say late]]', '--id', 'q1']);
    const { json } = await ask(bed, '[[delay 1500]] [[say late]]', '--id', 'q1');
    expect(json.delivery).toMatchObject({ state: 'answered', answer: 'late' });
    expect(bed.truth()).toHaveLength(1);
  });

  it.each([
    ['[[permission rm x]]', 'dialog: permission', 9],
    ['[[ask Which?|a|b]]', 'dialog: question', 9],
    ['[[limit]]', 'limit: rate_limit', 9],
    ['[[fail]]', 'failed: unknown', 12],
    ['[[crash 3]]', 'ended: the agent ended before it answered', 4],
    ['[[kill]]', 'ended: the agent ended before it answered', 4],
  ])('ends early after %s and says why', async (text, reason, exit) => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { code, json } = await ask(bed, text);
    expect(json.delivery).toMatchObject({ state: 'submitted', reason, answer: null });
    expect(code).toBe(exit);
    expect(bed.truth()).toHaveLength(1);
  });

  it('goes on after the question was answered', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const text = '[[permission rm x]] [[say removed]]';
    expect((await ask(bed, text, '--id', 'q1')).code).toBe(9);
    await bed.ok(['answer', 'a1', 'yes']);
    const { code, json } = await ask(bed, text, '--id', 'q1');
    expect(code).toBe(0);
    expect(json.delivery).toMatchObject({ state: 'answered', answer: 'removed' });
    expect(bed.truth()).toHaveLength(1);
  });

  it('sees that a person interrupted the turn', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const asking = ask(bed, '[[delay 90000]]');
    await until('the turn runs', () => bed.truth().length === 1);
    bed.tmux('send-keys', '-t', '=demo-creator-a1:', 'Escape');
    const { code, json } = await asking;
    expect(code).toBe(12);
    expect(json.delivery.state).toBe('submitted');
    expect(json.delivery.reason).toMatch(/^interrupted/);
  });

  it('says when the time is over, and does not lose the submission', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const wait = ['--wait', 'answered', '--timeout', '2', '--json'];
    const { code, json } = await bed.mam(['send', 'a1', '[[delay 60000]]', ...wait]);
    expect(code).toBe(8);
    expect(json.delivery).toMatchObject({ state: 'submitted', reason: 'timeout' });
  });

  it('ends with 130 at Ctrl-C; the turn goes on', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const text = '[[delay 3000]] [[say done]]';
    const asking = bed.start(['send', 'a1', text, '--id', 'q1', '--wait', 'answered']);
    const ended = finished(asking);
    await until('the turn runs', () => bed.truth().length === 1);
    await until('it is seen', async () => (await bed.session('a1')).activity.state === 'working');
    asking.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const { json } = await ask(bed, text, '--id', 'q1');
    expect(json.delivery).toMatchObject({ state: 'answered', answer: 'done' });
    expect(bed.truth()).toHaveLength(1);
  });
});
