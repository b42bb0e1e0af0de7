import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgyBed } from '../support/stand-ins/agy-bed.ts';
import { until } from '../support/until.ts';

const ANSWERED = ['--wait', 'answered', '--timeout', '60', '--json'];
const wait = (state: string) => ['--wait', state, '--timeout', '60', '--json'];

describe.concurrent('the main job on agy, played by its stand-in', () => {
  it('is created, spoken to, read at each stage, stopped, resumed on its conversation and purged', async () => {
    await using bed = await AgyBed.prepare();
    // Trust is answered by rule: the folder lies in a workspace that this user made.
    const created = await bed.createAgy('api', ['--prompt', 'say hello\nto all']);
    expect(created.json.delivery).toMatchObject({
      state: 'submitted',
      evidence: { source: 'transcript' },
    });
    expect(bed.agySettings().trustedWorkspaces).toEqual([bed.realCwd]);
    const id: string = created.json.session.conversation_id;
    expect(bed.conversations()).toEqual([id]);
    expect(created.json.session.start_command.slice(1)).toEqual(['--add-dir', bed.realCwd]);

    // A prompt that begins with ! would run a shell command if it were typed: it must arrive as text.
    const shell = await bed.ok(['send', 'api', '!touch ran-by-shell', ...ANSWERED]);
    expect(shell.json.delivery).toMatchObject({
      state: 'answered',
      answer: 'echo: !touch ran-by-shell',
      evidence: { source: 'transcript' },
    });
    expect(existsSync(join(bed.cwd, 'ran-by-shell'))).toBe(false);

    const slow = bed.mam(['send', 'api', 'slow 60', ...ANSWERED]);
    await bed.ok(['status', 'api', ...wait('working')]);
    bed.press('api', 'Escape');
    // No hook and no line of the transcript tells of an interrupt: the screen does.
    const { code, json } = await slow;
    expect([code, json.delivery.state]).toEqual([12, 'submitted']);
    expect(json.delivery.reason).toMatch(/^interrupted/);
    expect((await bed.session('api')).activity).toMatchObject({ state: 'idle', source: 'screen' });

    const stopped = await bed.ok(['stop', 'api', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({
      ...{ status: 'stopped', survivors: [], ended_by: 'exit' },
      ended: { exit_code: 0 },
    });
    expect(stopped.json.sessions[0].last_visible_status_at_termination).toContain('Interrupted');

    const resumed = await bed.ok(['resume', 'api', '--prompt', 'and now?', '--json']);
    expect(resumed.json.sessions[0]).toMatchObject({ status: 'running', conversation_id: id });
    expect(resumed.json.sessions[0].start_command.slice(3)).toEqual(['--conversation', id]);
    const asked = ['say hello\nto all', '!touch ran-by-shell', 'slow 60', 'and now?'];
    expect(bed.prompts(id)).toEqual(asked);
    expect(bed.conversations()).toEqual([id]);

    const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
    expect(purged.json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
    expect(bed.filesOf(id)).toEqual([]);
    expect(purged.json.sessions[0].purged.quoted_in).toEqual(
      expect.arrayContaining([join(bed.agyFolder, 'cache', 'last_conversations.json')]),
    );
    expect(bed.processes()).toEqual([]);
  });

  it('keeps two that begin in one folder at the same moment apart', async () => {
    await using bed = await AgyBed.prepare();
    const texts = ['say one', 'say two', 'say two'];
    await Promise.all(texts.map((text, i) => bed.createAgy(`a${i}`, ['--prompt', text])));
    // Its screen may show a turn before it has written down what it was asked.
    const ids = await Promise.all(texts.map((_, i) => conversationOf(bed, `a${i}`)));
    expect(new Set(ids).size).toBe(texts.length);
    expect(ids.map((id) => bed.prompts(id))).toEqual(texts.map((text) => [text]));
    // Which of two equal ones is whose only their processes tell: each goes on in its own.
    const sent = await Promise.all(ids.map((_, i) => bed.mam(['send', `a${i}`, `say ${i}`])));
    expect(sent.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ids.map((id) => bed.prompts(id)[1])).toEqual(['say 0', 'say 1', 'say 2']);
  });
});

describe.concurrent('dialogs of agy', () => {
  it('are answered by their words, and take nothing that was meant for the box', async () => {
    await using bed = await AgyBed.prepare();
    await bed.createAgy('api');
    const made = join(bed.cwd, 'made');
    for (const choice of ['no', 'yes']) {
      await bed.ok(['send', 'api', `run touch ${made}`]);
      const { json } = await bed.ok(['status', 'api', ...wait('awaiting-approval')]);
      expect(json.sessions[0].activity.detail).toBe('permission');
      const blocked = await bed.mam(['send', 'api', '1 more thing', '--json']);
      expect([blocked.code, blocked.json.delivery.state]).toEqual([9, 'refused']);
      expect(existsSync(made)).toBe(false);
      await bed.ok(['answer', 'api', choice]);
      await bed.ok(['status', 'api', ...wait('idle')]);
      expect(existsSync(made)).toBe(choice === 'yes');
    }
    expect(bed.agySettings().permissions).toBeUndefined();
  });

  it('are told apart when two ask the same, and picked from by their own text', async () => {
    await using bed = await AgyBed.prepare();
    await bed.createAgy('api', ['--prompt', 'twin echo x >>twice']);
    const lines = () => (existsSync(join(bed.cwd, 'twice')) ? count(join(bed.cwd, 'twice')) : 0);
    for (const answered of [1, 2]) {
      await bed.ok(['status', 'api', ...wait('awaiting-approval')]);
      expect(lines()).toBe(answered - 1);
      await bed.ok(['answer', 'api', 'yes']);
      await until('the command ran', () => lines() === answered);
    }
    await bed.ok(['send', 'api', 'ask Which?|red|green']);
    const asked = await bed.ok(['status', 'api', ...wait('awaiting-answer')]);
    expect(asked.json.sessions[0].activity.detail).toBe('question');
    await bed.ok(['answer', 'api', 'green']);
    const { conversation_id: id } = await bed.session('api');
    const said = await bed.ok(['send', 'api', 'say end', ...ANSWERED]);
    expect(said.json.delivery.answer).toBe('end');
    await bed.see('api', 'you said: green');
    expect(bed.prompts(id).at(-1)).toBe('say end');

    // A list of its own is no dialog: nothing is typed into it.
    const opened = await bed.ok(['send', 'api', '/model', '--json']);
    expect(opened.json.delivery.evidence).toMatchObject({ source: 'screen' });
    const refused = await bed.mam(['send', 'api', 'say more', '--json']);
    expect([refused.code, refused.json.delivery.reason]).toEqual([
      ...[9, expect.stringMatching(/^overlay/)],
    ]);
  });

  it('are known in the words of an older version; one in words of nobody is answered by those alone', async () => {
    await using bed = await AgyBed.prepare({ VERSION: '1.0' });
    await bed.createAgy('old', ['--prompt', 'run touch old']);
    await bed.ok(['status', 'old', ...wait('awaiting-approval')]);
    await bed.ok(['answer', 'old', 'yes']);
    await until('it ran', () => existsSync(join(bed.cwd, 'old')));

    bed.env.STUB_AGY_VERSION = '1.3.2';
    await bed.createAgy('new', ['--prompt', 'run touch new']);
    const { json } = await bed.ok(['status', 'new', ...wait('awaiting-answer')]);
    expect(json.sessions[0].activity.detail).toBe('menu');
    const refused = await bed.mam(['answer', 'new', 'yes', '--json']);
    expect(refused.json.error.code).toBe('answer.no-such-option');
    await bed.ok(['answer', 'new', 'Once']);
    await until('it ran', () => existsSync(join(bed.cwd, 'new')));
  });
});

describe.concurrent('what stands around the box of agy', () => {
  it('works on in the background, and takes the next prompt meanwhile', async () => {
    await using bed = await AgyBed.prepare();
    const options = ['--permissions', 'skip', '--prompt', 'bg sleep 300'];
    await bed.createAgy('api', options);
    await bed.see('api', 'started in the background');
    const background = { state: 'working', source: 'screen', detail: 'background' };
    expect((await bed.session('api')).activity).toMatchObject(background);
    const sent = await bed.ok(['send', 'api', 'say done', ...ANSWERED]);
    expect(sent.json.delivery.answer).toBe('done');
    expect((await bed.session('api')).activity).toMatchObject(background);
    // What its tools started outlives it, but not its session.
    const stopped = await bed.ok(['stop', 'api', '--json']);
    expect(stopped.json.sessions[0]).toMatchObject({ ended_by: 'signal', survivors: [] });
    expect(bed.processes()).toEqual([]);
  });

  it.each(['1', 'instead'])(
    'has a survey (%s), which is put away before anything is typed',
    async (survey) => {
      await using bed = await AgyBed.prepare({ SURVEY: survey });
      await bed.createAgy('api', ['--prompt', 'say one']);
      await bed.see('api', '[0] Skip');
      expect((await bed.session('api')).activity.state).toBe('idle');
      const sent = await bed.ok(['send', 'api', 'say two', ...ANSWERED]);
      expect(sent.json.delivery.answer).toBe('two');
      const { conversation_id: id } = await bed.session('api');
      expect(bed.prompts(id)).toEqual(['say one', 'say two']);
      const stopped = await bed.ok(['stop', 'api', '--json']);
      expect(stopped.json.sessions[0].ended_by).toBe('exit');
    },
  );

  it('takes an Enter for a line break: nothing is lost, nothing sent twice', async () => {
    await using bed = await AgyBed.prepare({ PASTE_SETTLE_MS: '2500' });
    await bed.createAgy('api');
    const text = Array.from({ length: 41 }, (_, i) => `line ${i}`).join('\n');
    const sent = await bed.ok(['send', 'api', text, '--json']);
    expect(sent.json.delivery).toMatchObject({ state: 'submitted' });
    const { conversation_id: id } = await bed.session('api');
    expect(bed.prompts(id)).toEqual([text]);
  });

  it('waits for a person to sign in, with the prompt kept', async () => {
    await using bed = await AgyBed.prepare({ SIGNED_OUT: '1' });
    const created = await bed.createAgy('api', ['--prompt', 'say hello']);
    expect([created.code, created.json.delivery.state]).toEqual([5, 'queued']);
    expect((await bed.session('api')).activity).toMatchObject({
      ...{ state: 'awaiting-answer', detail: 'login' },
    });
  });
});

describe.concurrent('a conversation of agy', () => {
  it('is refused when it is gone, and when the program begins another one instead', async () => {
    await using bed = await AgyBed.prepare();
    const created = await bed.createAgy('api', ['--prompt', 'say one']);
    const id: string = created.json.session.conversation_id;
    await bed.ok(['stop', 'api']);
    const database = join(bed.agyFolder, 'conversations', `${id}.db`);
    renameSync(database, `${database}.away`);
    const gone = await bed.mam(['resume', 'api', '--json']);
    expect(gone.json.failed[0].error).toMatchObject({ code: 'conversation.unknown' });

    // An early build's file: mam finds it, this build does not.
    renameSync(`${database}.away`, database.replace('.db', '.pb'));
    const other = await bed.mam(['resume', 'api', '--json']);
    expect(other.json.failed[0].error).toMatchObject({
      code: 'conversation.not-resumed',
      details: { asked: id, came_up: 'a new one' },
    });
    expect(await bed.session('api')).toMatchObject({ status: 'stopped', conversation_id: id });
    expect(bed.processes()).toEqual([]);
    renameSync(database.replace('.db', '.pb'), database);
    await bed.ok(['resume', 'api', '--prompt', 'say two']);
    expect(bed.prompts(id)).toEqual(['say one', 'say two']);
  });

  it('is resumed after a crash and after kill -9, whatever they left', async () => {
    await using bed = await AgyBed.prepare();
    const created = await bed.createAgy('api', ['--prompt', 'say one']);
    const id: string = created.json.session.conversation_id;
    await bed.ok(['send', 'api', 'crash']);
    const crashed = await bed.ok(['status', 'api', ...wait('exited')]);
    expect(crashed.json.sessions[0].activity.detail).toBe('status 2');
    expect((await bed.ok(['resume', 'api', '--json'])).json.sessions[0].conversation_id).toBe(id);
    process.kill((await bed.session('api')).agent_pid, 'SIGKILL');
    await bed.ok(['status', 'api', ...wait('exited')]);
    expect(bed.filesOf(id)).toContain(join('presence', `${id}.lock`));
    await bed.ok(['resume', 'api', '--prompt', 'say two', '--json']);
    expect(bed.prompts(id)).toEqual(['say one', 'crash', 'say two']);
  });

  it('is followed when the program itself begins another', async () => {
    await using bed = await AgyBed.prepare();
    const created = await bed.createAgy('api', ['--prompt', 'say one']);
    const id: string = created.json.session.conversation_id;
    await bed.ok(['send', 'api', '/clear']);
    const sent = await bed.ok(['send', 'api', 'say two', ...ANSWERED]);
    expect(sent.json.delivery.answer).toBe('two');
    const { conversation_id: next, conversation_history: history } = await bed.session('api');
    expect([bed.prompts(next), history]).toEqual([['say two'], [id]]);
  });
});

function count(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

/** Once the session is known to be on one. */
async function conversationOf(bed: AgyBed, name: string): Promise<string> {
  let id: string | null = null;
  await until(`"${name}" is on a conversation`, async () => {
    id = (await bed.session(name)).conversation_id;
    return id !== null;
  });
  return id ?? '';
}
