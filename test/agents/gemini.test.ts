import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';
import { until } from '../support/until.ts';

const LINE =
  'Prüfe das: 안녕하세요 世界 こんにちは 🙂👩‍💻\tTAB\tend; naïve `code` $HOME #{x} "quoted"\n';
/** 3 KB with CJK, emoji and tabs. Its echo would be taken for a loop. */
const LONG = `${LINE.repeat(Math.ceil(3_072 / Buffer.byteLength(LINE)))}The last line. [[say read]]`;
const CREATE = ['create', 'api', '--agent', 'gemini', '--role', 'creator', '--json'];
const ANSWERED = ['--wait', 'answered', '--timeout', '100', '--json'];

describe('the main job on the real Gemini CLI', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await GeminiBed.open();
    const prompts = () => bed.model.requests().filter(({ side }) => !side);

    // Trust is answered by rule: the folder lies in a workspace that this user made.
    const created = await bed.ok([...CREATE, '--prompt', LONG]);
    expect(created.json.delivery).toMatchObject({
      state: 'submitted',
      evidence: { source: 'transcript' },
    });
    const id: string = created.json.session.conversation_id;
    await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60', '--json']);
    expect(prompts().map(({ prompt }) => prompt)).toEqual([LONG]);

    // A prompt that begins with ! would run a shell command if it were typed: it must arrive as text.
    const shell = await bed.ok(['send', 'api', '!touch ran-by-shell', ...ANSWERED]);
    expect(shell.json.delivery).toMatchObject({
      state: 'answered',
      answer: 'echo: !touch ran-by-shell',
      evidence: { source: 'transcript' },
    });
    expect(prompts().at(-1)?.prompt).toBe('!touch ran-by-shell');
    expect(existsSync(join(bed.cwd, 'ran-by-shell'))).toBe(false);

    // Its state at each stage.
    expect((await bed.session('api')).activity.state).toBe('idle');
    const slow = bed.ok(['send', 'api', 'think [[delay 4000]] [[say thought]]', ...ANSWERED]);
    await bed.ok(['status', 'api', '--wait', 'working', '--timeout', '60']);
    expect((await slow).json.delivery.answer).toBe('thought');
    const made = join(bed.cwd, 'made-by-tool');
    for (const choice of ['no', 'yes']) {
      await bed.ok(['send', 'api', `please [[bash touch ${made}]] [[say finished]]`]);
      await bed.ok(['status', 'api', '--wait', 'awaiting-approval', '--timeout', '60']);
      expect((await bed.session('api')).activity.detail).toBe('permission');
      const blocked = await bed.mam(['send', 'api', '1 more thing', '--json']);
      expect([blocked.code, blocked.json.delivery.state]).toEqual([9, 'refused']);
      expect(existsSync(made)).toBe(false);
      await bed.ok(['answer', 'api', choice]);
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
      expect(existsSync(made)).toBe(choice === 'yes');
    }

    // Another conversation in the same folder, which nothing below may touch.
    const other = await bed.ok([
      ...['create', 'other', '--agent', 'gemini', '--role', 'reviewer', '--json'],
      ...['--prompt', 'I am the other one'],
    ]);
    const otherId: string = other.json.session.conversation_id;
    await bed.ok(['status', 'other', '--wait', 'idle', '--timeout', '60']);

    // The launcher and its child, which outlives its terminal.
    const own = () => bed.processes().filter((pid) => bed.commandOf(pid).includes(id));
    expect(own()).toHaveLength(2);
    const stopped = await bed.ok(['stop', 'api', '--json']);
    expect(own()).toEqual([]);
    expect(stopped.json.sessions[0]).toMatchObject({
      status: 'stopped',
      survivors: [],
      ended_by: 'exit',
    });
    const [file = ''] = bed.chatsOf(id);
    const before = bed.transcripts().get(file) ?? '';
    expect(before).toContain('The last line.');

    const resumed = await bed.ok(['resume', 'api', '--prompt', 'and now?', '--json']);
    expect(resumed.json.sessions[0]).toMatchObject({
      name: 'api',
      status: 'running',
      conversation_id: id,
    });
    await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
    const after = bed.transcripts().get(file) ?? '';
    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain('and now?');
    expect(prompts().at(-1)?.prompt).toBe('and now?');
    // 0.61.0 itself drops the first prompt when a tool is declined, and what was declined.
    const turns = prompts()
      .at(-1)
      ?.turns.map(({ text }) => text);
    expect(turns).toEqual(expect.arrayContaining(['!touch ran-by-shell', 'thought', 'finished']));

    const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
    expect(purged.json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
    expect(bed.chatsOf(id)).toEqual([]);
    expect(bed.chatsOf(otherId)).toHaveLength(1);
    expect((await bed.session('other')).activity.state).toBe('idle');
    await bed.ok(['stop', '--all']);
    await until('everything ended', () => bed.processes().length === 0);
  });
});
