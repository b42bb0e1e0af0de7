import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-20 two agents in one folder', () => {
  it('come back on their own conversations, whatever was touched last', async () => {
    await using bed = await TestBed.open();
    await Promise.all(['a', 'b'].map((name) => bed.create(name)));
    const before = new Map<string, string>();
    for (const name of ['a', 'b']) {
      await bed.ok(['send', name, `the word of ${name}`, '--wait', 'answered']);
      before.set(name, (await bed.session(name)).conversation_id);
    }
    expect(before.get('a')).not.toBe(before.get('b'));
    await bed.ok(['stop', 'a', 'b']);

    const conversations = join(bed.demoHome, 'conversations');
    const third = '11111111-1111-4111-8111-111111111111';
    const lines = [
      { type: 'meta', id: third, cwd: bed.cwd },
      { type: 'user', text: 'by hand', at: new Date().toISOString() },
    ];
    writeFileSync(
      join(conversations, `${third}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const later = Date.now() / 1000 + 60;
    utimesSync(join(conversations, `${before.get('b')}.jsonl`), later, later);

    for (const name of ['a', 'b']) {
      await bed.ok(['resume', name]);
      expect((await bed.session(name)).conversation_id).toBe(before.get(name));
      const { stdout } = await bed.ok(['send', name, 'recall', '--wait', 'answered']);
      expect(stdout).toContain(`"the word of ${name}"`);
    }
    await bed.ok(['stop', '--all']);
  });
});
