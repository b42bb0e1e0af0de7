import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClineBed } from '../support/real-agents/cline-bed.ts';
import { until } from '../support/until.ts';

const LINE =
  'Prüfe das: 안녕하세요 世界 こんにちは 🙂👩‍💻\tTAB\tend; naïve `code` $HOME #{x} "quoted"\n';
/** 3 KB with CJK, emoji and tabs. */
const LONG = `${LINE.repeat(Math.ceil(3_072 / Buffer.byteLength(LINE)))}The last line. [[say read]]`;
const CREATE = ['create', 'api', '--agent', 'cline', '--role', 'creator', '--json'];
const ANSWERED = ['--wait', 'answered', '--timeout', '100', '--json'];

describe('the main job on the real Cline', () => {
  it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
    await using bed = await ClineBed.open();
    const prompts = () => bed.model.requests().filter(({ side }) => !side);

    const created = await bed.ok([...CREATE, '--prompt', LONG]);
    expect(created.json.delivery.state).toBe('submitted');
    await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60', '--json']);
    expect(prompts().map(({ prompt }) => prompt)).toEqual([LONG]);
    // It chooses the id itself, at its first prompt.
    const id = (await bed.session('api')).conversation_id ?? '';
    expect([...bed.transcripts().keys()]).toEqual([id]);

    // What other agents would run in a shell must arrive as text.
    const shell = await bed.ok(['send', 'api', '!touch ran-by-shell', ...ANSWERED]);
    expect(shell.json.delivery).toMatchObject({
      state: 'answered',
      answer: 'echo: !touch ran-by-shell',
    });
    expect(prompts().at(-1)?.prompt).toBe('!touch ran-by-shell');
    expect(existsSync(join(bed.cwd, 'ran-by-shell'))).toBe(false);

    // Its state at each stage.
    expect((await bed.session('api')).activity.state).toBe('idle');
    const slow = bed.ok(['send', 'api', 'think [[delay 4000]] [[say thought]]', ...ANSWERED]);
    await bed.ok(['status', 'api', '--wait', 'working', '--timeout', '60']);
    expect((await slow).json.delivery).toMatchObject({
      answer: 'thought',
      evidence: { source: 'hook' },
    });
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
    await bed.ok([
      ...['create', 'other', '--agent', 'cline', '--role', 'reviewer', '--json'],
      ...['--prompt', 'I am the other one'],
    ]);
    await bed.ok(['status', 'other', '--wait', 'idle', '--timeout', '60']);
    const otherId = (await bed.session('other')).conversation_id ?? '';
    expect([...bed.transcripts().keys()].sort()).toEqual([id, otherId].sort());

    // npm's script and its program; and no daemon that both would share.
    const own = () => bed.processes().filter((pid) => bed.commandOf(pid).includes('--config'));
    expect(own()).toHaveLength(4);
    expect(bed.processes().some((pid) => bed.commandOf(pid).includes('hub-daemon'))).toBe(false);
    const stopped = await bed.ok(['stop', 'api', '--json']);
    expect(own()).toHaveLength(2);
    expect(stopped.json.sessions[0]).toMatchObject({
      status: 'stopped',
      survivors: [],
      ended_by: 'exit',
    });
    const before = bed.transcripts().get(id) ?? '';
    expect(before).toContain('The last line.');

    const resumed = await bed.ok(['resume', 'api', '--prompt', 'and now?', '--json']);
    expect(resumed.json.sessions[0]).toMatchObject({
      name: 'api',
      status: 'running',
      conversation_id: id,
    });
    await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
    expect(prompts().at(-1)?.prompt).toBe('and now?');
    const turns = prompts()
      .at(-1)
      ?.turns.map(({ text }) => text);
    expect(turns).toEqual(
      expect.arrayContaining([LONG, '!touch ran-by-shell', 'thought', 'finished']),
    );
    expect(bed.transcripts().get(id)).toContain('and now?');
    expect((await bed.session('api')).conversation_id).toBe(id);

    const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
    expect(purged.json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
    expect([...bed.transcripts().keys()]).toEqual([otherId]);
    expect((await bed.session('other')).activity.state).toBe('idle');
    await bed.ok(['stop', '--all']);
    await until('everything ended', () => bed.processes().length === 0);
  });
});
