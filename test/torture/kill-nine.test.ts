import { describe, expect, it } from 'vitest';
import { expectSoundFleet, type StoredFleet } from '../support/fleet-check.ts';
import { TestBed } from '../support/test-bed.ts';
import { type Done, planRound, runRound } from '../support/torture/kill-round.ts';
import { Random } from '../support/torture/random.ts';

const ROUNDS = Number(process.env.MAM_TORTURE_ROUNDS ?? 50);
const SEED = Number(process.env.MAM_TORTURE_SEED ?? Date.now() % 1_000_000);
const names = ['k1', 'k2', 'k3', 'k4', 'k5'];

describe('kill -9 at random moments of eight commands at once', () => {
  it(`leaves a sound fleet each time (${ROUNDS} rounds, seed ${SEED})`, async () => {
    console.log(`kill-nine: MAM_TORTURE_SEED=${SEED} MAM_TORTURE_ROUNDS=${ROUNDS}`);
    const random = new Random(SEED);
    await using bed = await TestBed.open();
    await bed.create('anchor');
    const tally = new Map<string, number>();
    const ids = new Map<string, string>();
    const proven: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const done = await runRound(bed, planRound(round, names, random), random);
      const where = `seed ${SEED}, round ${round}\n${done.map(describeStep).join('\n')}`;
      // The next command, whatever it is, settles what the killed ones left.
      expect((await bed.mam(['resume', 'nobody'])).code, where).toBe(3);
      try {
        const fleet = await expectSoundFleet(bed);
        expectNoBug(done);
        expectAcknowledged(fleet, done, ids);
        expectTexts(bed, done, proven);
        await bed.ok(['send', 'anchor', `alive ${round}`, '--wait', 'answered']);
      } catch (error) {
        throw new Error(`${where}\n${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
      for (const { kind, result } of done) {
        const key = `${kind} ${result.signal ? 'killed' : result.code}`;
        tally.set(key, (tally.get(key) ?? 0) + 1);
      }
    }
    console.log(
      `kill-nine: ${[...tally]
        .sort()
        .map((pair) => pair.join(': '))
        .join(', ')}`,
    );
    await expectWorkingFleet(bed);
  });
});

/** An exit code 1 says itself that it is a bug. */
function expectNoBug(done: readonly Done[]): void {
  expect(done.filter(({ result }) => result.code === 1)).toEqual([]);
}

/** What a command said was done is there, unless a rival of the same round may have undone it. */
function expectAcknowledged(
  { sessions }: StoredFleet,
  done: readonly Done[],
  ids: Map<string, string>,
): void {
  for (const { kind, name, result, isAcknowledged } of done) {
    const session = sessions.find((each) => each.name === name);
    const rivals = new Set(done.filter((each) => each.name === name).map((each) => each.kind));
    // A name changes its session only when the former one was purged, or its start had failed.
    if (rivals.has('purge') || session?.status === 'terminated') ids.delete(name);
    if (!isAcknowledged) continue;
    if (kind === 'create' && !rivals.has('purge')) ids.set(name, result.json.session.id);
    if (kind === 'create' && !rivals.has('stop') && !rivals.has('purge')) {
      expect(session?.status, `${name} was created`).toBe('running');
    }
    if (kind === 'stop' && !rivals.has('resume') && !rivals.has('create')) {
      expect(session?.status, `${name} was stopped`).not.toBe('running');
    }
    if (kind === 'purge' && !rivals.has('create')) {
      expect(session, `${name} was purged`).toMatchObject({
        status: 'terminated',
        resumable: false,
      });
    }
    if (kind === 'resume' && !rivals.has('stop') && !rivals.has('purge')) {
      expect(session?.status, `${name} was resumed`).toBe('running');
    }
  }
  for (const [name, id] of ids) {
    expect(sessions.find((each) => each.name === name)?.id, `${name} is still itself`).toBe(id);
  }
}

/** No text arrives twice, and one that was said to be submitted has arrived. */
function expectTexts(bed: TestBed, done: readonly Done[], proven: string[]): void {
  for (const { text, isAcknowledged } of done) if (text && isAcknowledged) proven.push(text);
  const taken = bed
    .truth()
    .filter(({ mode }) => mode === 'prompt')
    .map(({ text }) => text);
  expect(new Set(taken).size).toBe(taken.length);
  expect(proven.filter((text) => !taken.includes(text))).toEqual([]);
}

/** After all that: everything can be brought back, spoken to and stopped, and nothing is left. */
async function expectWorkingFleet(bed: TestBed): Promise<void> {
  for (const name of names) {
    const created = await bed.mam(['create', name, '--agent', 'demo', '--role', 'creator']);
    expect([0, 4], created.stderr).toContain(created.code);
  }
  await bed.ok(['stop', '--all']);
  await expectSoundFleet(bed);
  await bed.ok(['resume', '--all', '--fresh']);
  for (const name of names) {
    const { stdout } = await bed.ok(['send', name, `and ${name}?`, '--wait', 'answered']);
    expect(stdout).toBe(`echo: and ${name}?\n`);
  }
  await bed.ok(['stop', '--all']);
  const { sessions } = await expectSoundFleet(bed);
  expect(sessions.filter(({ status }) => status === 'running')).toEqual([]);
  expect(bed.tmux('list-sessions').code).not.toBe(0);
}

function describeStep({ args, result }: Done): string {
  const end = result.signal ?? result.code;
  const said =
    result.code === 0 ? '' : ` ${result.stdout.slice(0, 400)}${result.stderr.slice(0, 400)}`;
  return `  mam ${args.join(' ')} → ${end}${said}`;
}
