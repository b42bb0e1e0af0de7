import { expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

it('proves each of several deliveries of one text, one after the other', async () => {
  await using bed = await TestBed.open();
  await bed.create('a1');
  for (let i = 0; i < 4; i++) {
    const { json } = await bed.ok(['send', 'a1', 'ping', '--wait', 'answered', '--json']);
    expect(json.delivery.state).toBe('answered');
  }
  expect(bed.truth().map(({ text }) => text)).toEqual(['ping', 'ping', 'ping', 'ping']);
});

it('waits for the word of the hook when a turn of more than two seconds is over', async () => {
  await using bed = await TestBed.open();
  await bed.create('a1');
  for (const text of ['[[delay 2300]]', '[[delay 2600]]', '[[delay 2900]]']) {
    const { json } = await bed.ok(['send', 'a1', text, '--wait', 'answered', '--json']);
    expect(json.delivery).toMatchObject({ state: 'answered', answer: `echo: ${text}` });
  }
});
