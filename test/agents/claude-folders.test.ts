import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USER_ID } from '../support/real-agents/as-user.ts';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';

/** The first two share one folder of Claude Code's; the last leads to the first. */
const PLACES = ['my_app', 'my.app', 'my app/.cfg', 'link'];

describe('BL-22 the real Claude Code in folders with odd names', () => {
  it('comes back on the conversation of its own folder', async () => {
    await using bed = await ClaudeBed.open('2.1.332');
    const at = (place: string) => join(bed.cwd, place);
    execFileSync('mkdir', ['-p', at('my_app'), at('my.app'), at('my app/.cfg')]);
    execFileSync('ln', ['-s', at('my_app'), at('link')]);
    execFileSync('chown', ['-R', String(USER_ID), bed.cwd]);
    for (const [n, place] of PLACES.entries()) {
      await bed.create(`s${n}`, ['--cwd', at(place), '--prompt', `the word of ${place}`]);
      await bed.reaches(`s${n}`, 'idle');
    }
    const ids: string[] = [];
    for (const n of PLACES.keys()) ids.push((await bed.session(`s${n}`)).conversation_id);
    await bed.ok(['stop', '--all']);
    const resumed = await bed.ok(['resume', '--all', '--json']);
    expect(resumed.json.failed).toEqual([]);
    expect(resumed.json.sessions.map(({ conversation_id }) => conversation_id)).toEqual(ids);
    for (const [n, place] of PLACES.entries()) {
      await bed.ok(['send', `s${n}`, `and again ${place}`, '--wait', 'answered']);
      const text = bed.transcripts().get(ids[n] ?? '') ?? '';
      expect(text).toContain(`the word of ${place}`);
      expect(text).toContain(`and again ${place}`);
      const others = PLACES.filter((each) => each !== place);
      for (const other of others) expect(text).not.toContain(`the word of ${other}"`);
    }
    await bed.ok(['stop', '--all']);
  });
});
