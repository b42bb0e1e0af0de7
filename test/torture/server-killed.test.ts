import { describe, expect, it } from 'vitest';
import { expectSoundFleet } from '../support/fleet-check.ts';
import { type CliResult, TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const SESSIONS = 20;
/** Creates that run at the same time. */
const AT_ONCE = 4;

const names = Array.from({ length: SESSIONS }, (_, i) => `s${String(i + 1).padStart(2, '0')}`);
/** No word is part of another, of the prompt or of a name. */
const wordOf = (name: string) => `word-${name.replace('s', 'q')}-end`;

describe('twenty sessions in one folder, and their tmux server is killed', () => {
  it('brings every one back on its own conversation and no other', async () => {
    await using bed = await TestBed.open();
    const lanes = Array.from({ length: AT_ONCE }, (_, lane) =>
      names.filter((__, i) => i % AT_ONCE === lane),
    );
    await Promise.all(
      lanes.map(async (lane) => {
        for (const name of lane) {
          await bed.create(name, [], ['--prompt', `remember ${wordOf(name)}`]);
        }
      }),
    );
    await until('every turn is over', async () => (await states(bed)).every((s) => s === 'idle'));
    const before = await conversations(bed);
    expect(new Set(Object.values(before)).size).toBe(SESSIONS);
    expect(new Set(bed.truth().map(({ conversation_id }) => conversation_id)).size).toBe(SESSIONS);

    process.kill(Number(bed.tmux('display-message', '-p', '#{pid}').stdout), 'SIGKILL');
    const dead = (await bed.ok(['status', '--json'])).json;
    expect(dead.tmux.server).toBe('gone');
    expect(new Set(await states(bed))).toEqual(new Set(['lost']));

    const resumed = await bed.ok(['resume', '--all', '--json'], { timeoutMs: 600_000 });
    expect(resumed.json.failed).toEqual([]);
    expect(resumed.json.sessions.length).toBe(SESSIONS);
    expect(await conversations(bed)).toEqual(before);

    const answers = await Promise.all(
      lanes.map(async (lane) => {
        const found: (readonly [string, CliResult])[] = [];
        for (const name of lane) {
          found.push([name, await bed.ok(['send', name, 'recall', '--wait', 'answered'])]);
        }
        return found;
      }),
    );
    for (const [name, { stdout }] of answers.flat()) {
      const heard = names.filter((each) => stdout.includes(wordOf(each)));
      expect(heard, `${name} said ${stdout}`).toEqual([name]);
    }
    expect(await conversations(bed)).toEqual(before);
    await bed.ok(['stop', '--all'], { timeoutMs: 600_000 });
    const { sessions } = await expectSoundFleet(bed);
    expect(sessions.map(({ status }) => status)).toEqual(names.map(() => 'stopped'));
  });
});

async function states(bed: TestBed): Promise<string[]> {
  const { json } = await bed.ok(['status', '--json']);
  return json.sessions.map(({ activity }: { activity: { state: string } }) => activity.state);
}

async function conversations(bed: TestBed): Promise<Record<string, string>> {
  const { json } = await bed.ok(['status', '--json']);
  const pairs = json.sessions.map((session: { name: string; conversation_id: string }) => [
    session.name,
    session.conversation_id,
  ]);
  return Object.fromEntries(pairs);
}
