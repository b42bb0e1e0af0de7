import { describe, expect, it } from 'vitest';
import { TestBed, type Truth } from '../support/test-bed.ts';
import { type Mischief, sitAt } from '../support/torture/person.ts';
import { Random } from '../support/torture/random.ts';
import { isProven, isSettled, type Sent, sendUntilSettled } from '../support/torture/sender.ts';
import { expectedOf, makeText } from '../support/torture/texts.ts';

const SENDS = Number(process.env.MAM_TORTURE_SENDS ?? 200);
const SEED = Number(process.env.MAM_TORTURE_SEED ?? Date.now() % 1_000_000);
const SENDERS = 3;

/** Each agent is hostile in its own way. */
const agents: Readonly<Record<string, readonly string[]>> = {
  s1: ['--absorb-ms', '250', '--ghost', 'Try "fix the tests"'],
  s2: ['--slash-menu', '--ghost', '/model small'],
  s3: ['--boot-ms', '1500', '--vanish-once'],
  s4: ['--absorb-ms', '60000', '--absorb-count', '2', '--dialog-on-paste'],
};
const names = Object.keys(agents);

describe('many senders, hostile agents, and everything is killed now and then', () => {
  it(`loses nothing, doubles nothing and tells nothing false (${SENDS} sends, seed ${SEED})`, async () => {
    const random = new Random(SEED);
    await using bed = await TestBed.open();
    for (const name of names) await bed.create(name, agents[name]);
    const sent: Sent[] = [];
    const over = new AbortController();
    const people = names.map((name) =>
      sitAt(bed, name, random.fork(), () => truthOf(bed, name).length, over.signal),
    );
    const senders = names.flatMap((session) =>
      Array.from({ length: SENDERS }, (_, i) =>
        runSender(bed, session, `${session}-${i}`, random.fork(), sent),
      ),
    );
    // All of them end before the bed does, whatever one of them found.
    const ends = await Promise.allSettled(senders);
    const settled = await Promise.allSettled([settleAll(bed, sent, random)]);
    over.abort();
    const mischief = (await Promise.allSettled(people)).map((end) => unwrap(end));
    for (const end of [...ends, ...settled]) unwrap(end);

    report(bed, sent, mischief);
    expect(sent).toHaveLength(SENDS);
    expect(sent.filter((each) => !isSettled(each))).toEqual([]);
    expect(judge(bed.truth(), sent)).toEqual([]);
    expect(await wrongTargets(bed)).toEqual([]);
    for (const name of names) expect(disorder(truthOf(bed, name), sent)).toEqual([]);
    expect(bed.truth().filter(({ mode }) => mode === 'shell')).toEqual([]);
    expect(bed.tmux('list-buffers').stdout).toBe('');
  });
});

function unwrap<T>(end: PromiseSettledResult<T>): T {
  if (end.status === 'rejected') throw end.reason;
  return end.value;
}

/** One after the other: the next text only when there is a verdict of the one before. */
async function runSender(
  bed: TestBed,
  session: string,
  sender: string,
  random: Random,
  sent: Sent[],
): Promise<void> {
  const share = Math.ceil(SENDS / (names.length * SENDERS));
  for (let index = 0; index < share && sent.length < SENDS; index++) {
    const id = `${sender}-${index}`;
    const text = makeText(`<${id}>`, random);
    const fresh = { verdict: 'open', reason: '', evidence: '', kills: 0, repeats: 0 };
    const next: Sent = { id, session, sender, index, text, stored: undefined, ...fresh };
    sent.push(next);
    await sendUntilSettled(bed, next, random, { killChance: 0.3, againChance: 0.7 });
  }
}

/** What no sender waited for to the end, asked for once more by its id, in peace. */
async function settleAll(bed: TestBed, sent: readonly Sent[], random: Random): Promise<void> {
  for (const each of sent.filter((one) => !isSettled(one))) {
    await sendUntilSettled(bed, each, random, { killChance: 0, againChance: 0 });
  }
}

/** Every verdict against what the agents really took. */
function judge(truth: readonly Truth[], sent: readonly Sent[]): readonly string[] {
  return sent.flatMap((each) => {
    const expected = expectedOf(each.text);
    const found = truth.filter(({ text }) => text.includes(`<${each.id}>`));
    const exact = found.filter(
      ({ mode, text }) => mode === expected.mode && text === expected.text,
    );
    const problems = [
      ...(exact.length < found.length ? ['arrived changed'] : []),
      ...(found.length > 1 ? ['doubled'] : []),
      ...(isProven(each) && found.length === 0 ? ['lost'] : []),
      ...(['refused', 'not-submitted'].includes(each.verdict) && found.length > 0 ? ['false'] : []),
    ];
    return problems.map((problem) => `${problem}: ${JSON.stringify({ ...each, found })}`);
  });
}

/** Texts of one sender that a session took in another order than they were sent. */
function disorder(truth: readonly Truth[], sent: readonly Sent[]): readonly string[] {
  const last = new Map<string, number>();
  return truth.flatMap(({ text }) => {
    const each = sent.find(({ id }) => text.includes(`<${id}>`));
    if (!each) return [];
    const before = last.get(each.sender) ?? -1;
    last.set(each.sender, each.index);
    return each.index > before ? [] : [`${each.id} came after ${before}`];
  });
}

function truthOf(bed: TestBed, session: string): readonly Truth[] {
  return bed.truth().filter(({ text }) => text.includes(`<${session}-`));
}

/** Texts that lie in a conversation of another session. */
async function wrongTargets(bed: TestBed): Promise<readonly string[]> {
  const { json } = await bed.ok(['status', '--json']);
  const owners = new Map<string, string>();
  for (const { name, conversation_id: id, conversation_history: former } of json.sessions) {
    for (const each of [id, ...former]) owners.set(each, name);
  }
  return bed.truth().flatMap(({ text, conversation_id: id }) => {
    const wanted = /<(s\d)-/.exec(text)?.[1];
    const owner = owners.get(id);
    return wanted === undefined || wanted === owner ? [] : [`${text.slice(0, 80)} in ${owner}`];
  });
}

function report(bed: TestBed, sent: readonly Sent[], mischief: readonly Mischief[]): void {
  const count = (key: (each: Sent) => string) => {
    const counts: Record<string, number> = {};
    for (const each of sent) counts[key(each)] = (counts[key(each)] ?? 0) + 1;
    return counts;
  };
  const sum = (key: keyof Mischief) => mischief.reduce((total, each) => total + each[key], 0);
  const empty = bed.truth().filter(({ mode }) => mode === 'empty').length;
  console.log(
    JSON.stringify({
      seed: SEED,
      verdicts: count(({ verdict }) => verdict),
      evidence: count(({ evidence }) => evidence),
      reasons: count(({ verdict, reason }) => (isProven({ verdict } as Sent) ? '' : reason)),
      senders_killed: sent.reduce((total, { kills }) => total + kills, 0),
      repeats: sent.reduce((total, { repeats }) => total + repeats, 0),
      ...{ dialogs: sum('dialogs'), modes: sum('modes'), agents_killed: sum('kills') },
      empty_enters: empty,
    }),
  );
}
