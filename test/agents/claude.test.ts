import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';
import { until } from '../support/until.ts';

const LINE =
  'Prüfe das: 안녕하세요 世界 こんにちは 🙂👩‍💻\tTAB\tend; naïve `code` $HOME #{x} "quoted"\n';
/** 3 KB with CJK, emoji and tabs. */
const LONG = `${LINE.repeat(Math.ceil(3_072 / Buffer.byteLength(LINE)))}The last line.`;
/** 2.1.332 tells the model which part was pasted. */
const unwrapped = (prompt: string) =>
  prompt.replace(/^<pasted_content id="\w+">\n|\n<\/pasted_content id="\w+">$/g, '');
/** What Claude makes of a text: TAB becomes four blanks. */
const asClaude = (text: string) => text.replaceAll('\t', '    ').normalize('NFC');

describe.each(['2.1.332', '2.1.197'] as const)(
  'the main job on the real Claude Code %s',
  (version) => {
    it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
      await using bed = await ClaudeBed.open(version);

      // Trust is answered by rule: the folder lies in a workspace that this user made.
      const created = await bed.ok([
        ...['create', 'api', '--agent', 'claude', '--role', 'creator', '--json'],
        ...['--prompt', LONG],
      ]);
      expect(created.json.delivery).toMatchObject({
        state: 'submitted',
        evidence: { source: 'hook' },
      });
      const id: string = created.json.session.conversation_id;
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60', '--json']);
      const first = bed.model.requests().filter(({ side }) => !side);
      expect(first.map(({ prompt }) => unwrapped(prompt))).toEqual([asClaude(LONG)]);

      // A prompt that begins with ! would run a shell command: it must arrive as text.
      const shell = await bed.ok([
        'send',
        'api',
        '!touch ran-by-shell',
        '--wait',
        'answered',
        '--json',
      ]);
      expect(shell.json.delivery).toMatchObject({
        state: 'answered',
        evidence: { source: 'hook' },
      });
      expect(
        bed.model
          .requests()
          .filter(({ side }) => !side)
          .at(-1)?.prompt,
      ).toBe('!touch ran-by-shell');
      expect(existsSync(join(bed.cwd, 'ran-by-shell'))).toBe(false);

      // Its state at each stage.
      expect((await bed.session('api')).activity).toMatchObject({
        state: 'idle',
        confidence: 'high',
      });
      const slow = bed.ok([
        'send',
        'api',
        'think [[delay 4000]] [[say thought]]',
        '--wait',
        'answered',
        '--json',
      ]);
      await bed.ok(['status', 'api', '--wait', 'working', '--timeout', '60']);
      expect((await slow).json.delivery.answer).toBe('thought');
      const made = join(bed.cwd, 'made-by-tool');
      await bed.ok(['send', 'api', `please [[bash touch ${made}]] [[say finished]]`]);
      await bed.ok(['status', 'api', '--wait', 'awaiting-approval', '--timeout', '60']);
      expect((await bed.session('api')).activity.detail).toBe('permission');
      const blocked = await bed.mam(['send', 'api', '1 more thing', '--json']);
      expect([blocked.code, blocked.json.delivery.state]).toEqual([9, 'refused']);
      expect(existsSync(made)).toBe(false);
      await bed.ok(['answer', 'api', 'yes']);
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
      expect(existsSync(made)).toBe(true);

      // Another conversation in the same folder, which nothing below may touch.
      const other = await bed.ok([
        ...['create', 'other', '--agent', 'claude', '--role', 'reviewer', '--json'],
        ...['--prompt', 'I am the other one'],
      ]);
      const otherId: string = other.json.session.conversation_id;
      await bed.ok(['status', 'other', '--wait', 'idle', '--timeout', '60']);

      const stopped = await bed.ok(['stop', 'api', '--json']);
      expect(stopped.json.sessions[0]).toMatchObject({
        status: 'stopped',
        survivors: [],
        ended_by: 'exit',
      });
      const before = bed.transcripts().get(id) ?? '';
      expect(before).not.toBe('');

      const resumed = await bed.ok(['resume', 'api', '--prompt', 'and now?', '--json']);
      expect(resumed.json.sessions[0]).toMatchObject({
        name: 'api',
        status: 'running',
        conversation_id: id,
      });
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
      const after = bed.transcripts().get(id) ?? '';
      expect(after.startsWith(before)).toBe(true);
      expect(after.length).toBeGreaterThan(before.length);
      expect([...bed.transcripts().keys()].sort()).toEqual([id, otherId].sort());
      const last = bed.model
        .requests()
        .filter(({ side }) => !side)
        .at(-1);
      expect(last?.prompt).toBe('and now?');
      expect(last?.turns.some(({ text }) => text.includes('The last line.'))).toBe(true);

      const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
      expect(purged.json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
      expect([...bed.transcripts().keys()]).toEqual([otherId]);
      expect((await bed.session('other')).activity.state).toBe('idle');
      await bed.ok(['stop', '--all']);
      await until('everything ended', () => bed.processes().length === 0);
    });

    it('leaves trust to a person where the workspace says so, and keeps the prompt', async () => {
      await using bed = await ClaudeBed.open(version);
      const config = join(bed.cwd, '.mam', 'config.yaml');
      const { appendFileSync } = await import('node:fs');
      appendFileSync(config, 'create:\n  trust: ask\n');
      const args = [
        'create',
        'api',
        '--agent',
        'claude',
        '--role',
        'creator',
        '--prompt',
        'hello',
        '--json',
      ];
      const created = await bed.mam([...args, '--timeout', '20']);
      expect(created.code).toBe(5);
      expect((await bed.session('api')).activity).toMatchObject({
        state: 'awaiting-approval',
        detail: 'trust',
      });
      expect(bed.model.requests().filter(({ side }) => !side)).toEqual([]);
      await bed.ok(['answer', 'api', 'yes']);
      await bed.ok(['status', 'api', '--wait', 'idle', '--timeout', '60']);
      await bed.ok(['send', 'api', 'and this', '--wait', 'answered', '--timeout', '60']);
      const prompts = bed.model
        .requests()
        .filter(({ side }) => !side)
        .map(({ prompt }) => prompt);
      expect(prompts).toEqual(['hello', 'and this']);
    });
  },
);
