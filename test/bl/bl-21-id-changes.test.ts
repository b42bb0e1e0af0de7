import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-21 the id changes while the session lives', () => {
  it('is resumed on the newest that was written, with the others in its history', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['send', 'a', 'one', '--wait', 'answered']);
    const first = (await bed.session('a')).conversation_id;
    await bed.ok(['send', 'a', '/clear']);
    // Another one that begins in the same folder meanwhile is nobody's business.
    await bed.create('c');
    await bed.ok(['send', 'c', 'I am c', '--wait', 'answered']);
    // Two at once that both take in what the hooks said.
    await Promise.all([
      bed.ok(['send', 'a', 'two', '--wait', 'answered']),
      bed.ok(['status', 'a', '--wait', 'idle']),
      bed.ok(['monitor', 'once']),
    ]);
    const { conversation_id: second, conversation_history: history } = await bed.session('a');
    expect(second).not.toBe(first);
    expect(history).toEqual([first]);
    expect((await bed.session('c')).conversation_history).toEqual([]);

    await bed.ok(['stop', 'a']);
    await bed.ok(['resume', 'a']);
    const { stdout } = await bed.ok(['send', 'a', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('"two"');
    expect(stdout).not.toContain('"one"');
    expect((await bed.session('a')).conversation_id).toBe(second);
    await bed.ok(['stop', '--all']);
  });

  it('does not follow a hook to a conversation of which no file ever appears', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['send', 'a', 'one', '--wait', 'answered']);
    const first = (await bed.session('a')).conversation_id;
    await bed.ok(['send', 'a', '/clear']);
    await bed.ok(['stop', 'a']);
    const { conversation_id: after } = await bed.session('a');
    expect(after).toBe(first);
    await bed.ok(['resume', 'a']);
    const { stdout } = await bed.ok(['send', 'a', 'recall', '--wait', 'answered']);
    expect(stdout).toContain('"one"');
    await bed.ok(['stop', 'a']);
    rmSync(join(bed.demoHome, 'conversations', `${first}.jsonl`));
    expect((await bed.mam(['resume', 'a', '--json'])).json.failed[0].error.code).toBe(
      'conversation.unknown',
    );
  });
});
