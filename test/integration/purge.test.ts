import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const SECRET = 'xyzzy-4711';
const purge = ['stop', 'a1', '--purge-conversation', '--json'];

describe('a purge', () => {
  it('leaves no copy of the conversation in the workspace, whatever launch it is of', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', `first ${SECRET}`, '--wait', 'answered']);
    // An agent that ends by itself leaves its launch folder; the next launch has another.
    await bed.ok(['send', 'a1', '/exit']);
    await until('it ended', async () => (await bed.session('a1')).activity.state === 'exited');
    await bed.ok(['resume', 'a1']);
    await bed.ok(['send', 'a1', `second ${SECRET}`, '--wait', 'answered']);
    await bed.ok(['stop', 'a1']);
    expect(copiesOf(SECRET, bed)).not.toEqual([]);

    await bed.ok(purge);
    expect(copiesOf(SECRET, bed)).toEqual([]);
    expect(
      readdirSync(join(bed.cwd, '.mam/run')).filter((name) => /^[0-9A-Z]{26}$/.test(name)),
    ).toEqual([]);
    expect(readdirSync(join(bed.demoHome, 'conversations'))).toEqual([]);
  });

  it('leaves none in a registry that others have open', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.create('other');
    await bed.ok(['send', 'a1', SECRET, '--wait', 'answered']);
    const watching = bed.start(['status', '--watch', '--json']);
    await until('it watches', () => watching.stdout?.readableLength !== 0);
    await bed.ok(purge);
    expect(watching.exitCode).toBeNull();
    expect(copiesOf(SECRET, bed)).toEqual([]);
    watching.kill();
  });

  it('names what a person set aside and quotes the conversation', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { conversation_id } = await bed.session('a1');
    const aside = join(bed.cwd, '.mam/agent-sessions.yaml.edited-by-hand');
    writeFileSync(aside, `# ${conversation_id}\n`);
    const { json } = await bed.ok(purge);
    expect(json.sessions[0].purged.quoted_in).toContain(aside);
    expect(existsSync(aside)).toBe(true);
  });

  it('finds the conversation where the session had it, whatever the caller has', async () => {
    await using bed = await TestBed.open();
    const DEMO_HOME = join(bed.root, 'elsewhere');
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator'];
    await bed.ok([...create, '--env', `DEMO_HOME=${DEMO_HOME}`]);
    await bed.ok(['send', 'a1', 'hello', '--wait', 'answered']);
    const { conversation_id } = await bed.session('a1');
    const file = join(DEMO_HOME, 'conversations', `${conversation_id}.jsonl`);
    expect(existsSync(file)).toBe(true);
    const { json } = await bed.ok(purge);
    expect(json.sessions[0].purged).toMatchObject({ removed: [file], missing: [] });
    expect(existsSync(file)).toBe(false);
  });

  it('says what it did not find and where it looked, each time, and frees the name', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', 'hello', '--wait', 'answered']);
    const { conversation_id } = await bed.session('a1');
    const file = join(bed.demoHome, 'conversations', `${conversation_id}.jsonl`);
    const kept = readFileSync(file);
    rmSync(file);
    for (const _ of ['first', 'again']) {
      const { code, json } = await bed.mam(purge);
      expect(code).toBe(3);
      expect(json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
      const [missing] = json.sessions[0].purged.missing;
      expect(missing).toMatchObject({ conversation_id });
      expect(missing?.looked).toContain(file);
    }
    const told = await bed.mam(purge.slice(0, -1));
    expect(told.stdout).toContain(`not found: conversation ${conversation_id}`);
    expect(told.stdout).toContain(file);
    writeFileSync(file, kept);
    expect((await bed.ok(purge)).json.sessions[0].purged.removed).toEqual([file]);
    expect((await bed.ok(purge)).json.sessions[0].purged.missing).toEqual([]);
    await bed.create('a1');
  });

  it('misses nothing of a session that was never spoken to', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    expect((await bed.ok(purge)).json.sessions[0].purged.missing).toEqual([]);
  });
});

/** Files below the workspace's state folder that hold the words, in whatever bytes around them. */
function copiesOf(words: string, bed: TestBed): readonly string[] {
  const names = readdirSync(join(bed.cwd, '.mam'), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(words));
}
