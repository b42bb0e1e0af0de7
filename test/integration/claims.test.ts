import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNSEEN_OWNER_MS } from '../../src/domain/owner.ts';
import { systemClock } from '../../src/drivers/node/clock.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import { sqliteClaims } from '../../src/drivers/sqlite/claims.ts';
import { SqliteRegistry } from '../../src/drivers/sqlite/registry.ts';
import type { ConversationClaim } from '../../src/ports/claims.ts';
import { isHeldElsewhere, mayClaim } from '../../src/services/fleet/claims.ts';
import { exampleSession } from '../support/example-session.ts';
import { fleetContextIn } from '../support/fleet-context.ts';
import { Pty } from '../support/pty.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

describe('who holds a conversation, over all workspaces of a user', () => {
  it('a second workspace is refused while the first one lives, and may have it afterwards', async () => {
    await using bed = await TestBed.open();
    const first = await bed.ok(['create', 'api', '--agent', 'demo', '--role', 'creator', '--json']);
    const id: string = first.json.session.conversation_id;
    await bed.ok(['send', 'api', 'remember 17', '--wait', 'answered']);
    const there = { cwd: join(bed.root, 'other') };
    mkdirSync(there.cwd);
    await bed.ok(['init'], there);
    await bed.ok(['create', 'twin', '--agent', 'demo', '--role', 'creator'], there);
    await bed.ok(['stop', 'twin'], there);

    const take = ['resume', 'twin', '--conversation', id, '--json'];
    const refused = await bed.mam(take, there);
    expect([refused.code, refused.json.failed[0].error]).toMatchObject([
      4,
      { code: 'conversation.claimed', details: { holder: 'api', workspace: bed.cwd } },
    ]);
    const twin = (await bed.ok(['status', 'twin', '--json'], there)).json.sessions[0];
    expect(twin.status).toBe('stopped');

    await bed.ok(['stop', 'api']);
    await bed.ok([...take, '--prompt', 'and now?'], there);
    const prompts = bed.truth(id).filter(({ mode }) => mode === 'prompt');
    expect(prompts.map(({ text }) => text)).toEqual(['remember 17', 'and now?']);
    const back = await bed.mam(['resume', 'api', '--json']);
    expect([back.code, back.json.failed[0].error.details]).toMatchObject([4, { holder: 'twin' }]);
    await bed.ok(['stop', 'twin'], there);
    await bed.ok(['resume', 'api']);
    await bed.ok(['stop', 'api']);
  });

  it('a start that failed lets go of it', async () => {
    await using bed = await TestBed.open();
    await bed.create('api', ['--exit-on-resume', 'no disk']);
    await bed.ok(['send', 'api', 'hello', '--wait', 'answered']);
    const conversationId = (await bed.session('api')).conversation_id ?? '';
    const claims = sqliteClaims(join(bed.home, '.mam', 'claims.db'));
    const key = { agent: 'demo', folder: realpathSync(bed.demoHome), conversationId };
    expect(claims.find(key)).toMatchObject({ sessionName: 'api' });
    bed.tmux('kill-server');
    expect((await bed.mam(['resume', 'api'])).code).toBe(5);
    expect(claims.find(key)).toBeUndefined();
  });

  it('a program that is not ours and was told the id is in the way', async () => {
    await using bed = await TestBed.open();
    const made = await bed.ok(['create', 'api', '--agent', 'demo', '--role', 'creator', '--json']);
    const id: string = made.json.session.conversation_id;
    await bed.ok(['send', 'api', 'hello', '--wait', 'answered']);
    await bed.ok(['stop', 'api']);
    const [node = '', agent = ''] = made.json.session.start_command;
    await using byHand = new Pty([node, agent, '--resume', id], { cwd: bed.cwd, env: bed.env });
    await until('it is up', () => byHand.output.includes('hello'));
    const refused = await bed.mam(['resume', 'api', '--json']);
    expect([refused.code, refused.json.failed[0].error.code]).toEqual([4, 'conversation.claimed']);
    expect(refused.json.failed[0].error.details.pid).toBe(byHand.pid);
  });

  it('a person may name the conversation, but not one of another session or none at all', async () => {
    await using bed = await TestBed.open();
    const make = (name: string) => [
      ...['create', name, '--agent', 'demo', '--role', 'creator', '--json'],
      ...['--prompt', `I am ${name}`],
    ];
    const one = (await bed.ok(make('one'))).json.session.conversation_id;
    await bed.ok(make('two'));
    await bed.ok(['stop', '--all']);
    const named = (id: string) => bed.mam(['resume', 'two', '--conversation', id, '--json']);
    const [owned, absent, evil] = [
      await named(one),
      await named('no-such-one'),
      await named('../x'),
    ];
    expect([owned.code, owned.json.failed[0].error.details.holder]).toEqual([4, 'one']);
    expect([absent.code, absent.json.failed[0].error.code]).toEqual([3, 'conversation.unknown']);
    expect([evil.code, evil.json.failed[0].error.code]).toEqual([3, 'conversation.unknown']);
    const both = await bed.mam(['resume', 'one', 'two', '--conversation', one, '--json']);
    expect([both.code, both.json.error.code]).toEqual([2, 'usage.invalid']);
  });
});

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mam-k-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a claim of another workspace', () => {
  const { self } = openProcessTable();
  const gone = { ...self, startTicks: '1' };
  const now = systemClock.nowMs();
  const longAgo = now - UNSEEN_OWNER_MS - 1;
  const process = { pid: self.pid, startTicks: self.startTicks };
  let registry: SqliteRegistry;

  beforeEach(() => {
    registry = SqliteRegistry.open({ path: join(folder, 'registry.db') });
  });

  afterEach(() => registry.close());

  it.each<[boolean, string, Partial<ConversationClaim>]>([
    [true, 'was taken by a command that may be starting it', {}],
    [false, 'was taken long ago, by a monitor that lives on', { takenAtMs: longAgo }],
    [false, 'was taken by a command that has ended', { owner: gone }],
    [true, 'is of an adopted agent that lives', { owner: gone, agentProcess: process }],
    [false, 'is of an adopted agent that has ended', { owner: gone, agentProcess: gone }],
    [false, 'is from before a boot', { owner: { ...self, boot: 'earlier' } }],
    [true, 'cannot be seen', { owner: { ...self, pidNamespace: 'other' }, takenAtMs: longAgo }],
  ])('is in the way: %s, where it %s', (isHeld, _, about) => {
    const context = fleetContextIn(folder, registry);
    const session = exampleSession('api', { storeFolder: folder });
    const claim: ConversationClaim = {
      ...{ agent: 'demo', folder, conversationId: 'c', sessionId: 'ses_1', sessionName: 'twin' },
      ...{ workspaceId: 'other', workspaceRoot: '/other', launch: 'L1' },
      ...{ owner: self, takenAtMs: now, agentProcess: null, ...about },
    };
    context.claims.take(claim, () => false);
    expect(isHeldElsewhere(context, session, 'c')).toBe(isHeld);
    expect(mayClaim(context, session, 'c')).toBe(!isHeld);
  });
});

describe('the file of claims', () => {
  const owner = { host: 'h', boot: 'b', pidNamespace: 'n', pid: 1, startTicks: '1' };
  const claim: ConversationClaim = {
    ...{ agent: 'demo', folder: '/home/u/.mam-demo', conversationId: 'c' },
    ...{ workspaceId: 'w', workspaceRoot: '/w', sessionId: 'ses_1', sessionName: 'api' },
    ...{ launch: 'L1', owner, takenAtMs: 0, agentProcess: null },
  };
  const other = { ...claim, workspaceId: 'v', sessionId: 'ses_2', launch: 'L2' };

  it('keeps a holder until it is over or lets go; another profile is another conversation', () => {
    const claims = sqliteClaims(join(folder, 'sub', 'claims.db'));
    expect(claims.find(claim)).toBeUndefined();
    claims.release('L1');
    expect(claims.take(claim, () => false)).toBeUndefined();
    expect(claims.take(claim, () => false)).toBeUndefined();
    expect(claims.take(other, () => false)).toEqual(claim);
    expect(claims.take({ ...other, folder: '/elsewhere' }, () => false)).toBeUndefined();
    expect(claims.find(claim)).toEqual(claim);
    expect(claims.take(other, (holder) => holder.launch === 'L1')).toBeUndefined();
    expect(claims.take(claim, () => false)).toEqual(other);
    claims.release('L2');
    expect(claims.find(claim)).toBeUndefined();
  });

  it('is not written by who only asks', () => {
    const path = join(folder, 'claims.db');
    writeFileSync(path, '');
    expect(sqliteClaims(path).find(claim)).toBeUndefined();
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['claims.db'], '']);
  });

  it('says what to do when it is damaged, and leaves it', () => {
    const path = join(folder, 'claims.db');
    const rubbish = 'not a database, and longer than the header of one '.repeat(20);
    writeFileSync(path, rubbish);
    const claims = sqliteClaims(path);
    expect(() => claims.take(claim, () => true)).toThrow(
      expect.objectContaining({
        code: 'registry.damaged',
        hint: expect.stringContaining('remove'),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe(rubbish);
  });
});
