import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createArgs } from '../support/real-agents/agent-bed.ts';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';
import { doMainJob } from '../support/real-agents/main-job.ts';

describe.each(['2.1.332', '2.1.197'] as const)(
  'the main job on the real Claude Code %s',
  (version) => {
    it('is created, spoken to, stopped, resumed on its own conversation and purged', async () => {
      await using bed = await ClaudeBed.open(version);
      const seen = await doMainJob(bed, {
        // TAB becomes four blanks.
        asReceived: (sent) => sent.replaceAll('\t', '    ').normalize('NFC'),
        // 2.1.332 tells the model which part was pasted.
        unwrapped: (prompt) =>
          prompt.replace(/^<pasted_content id="\w+">\n|\n<\/pasted_content id="\w+">$/g, ''),
        isOwn: (command, id) => command.includes(id),
      });
      expect(seen).toEqual({ evidence: 'hook', processes: 1, keptFirst: true });
    });

    it('leaves trust to a person where the workspace says so, and keeps the prompt', async () => {
      await using bed = await ClaudeBed.open(version);
      appendFileSync(join(bed.cwd, '.mam', 'config.yaml'), 'create:\n  trust: ask\n');
      const args = [...createArgs(bed.agent, 'api'), '--prompt', 'hello', '--timeout', '20'];
      const created = await bed.mam(args);
      expect(created.code).toBe(5);
      expect((await bed.session('api')).activity).toMatchObject({
        state: 'awaiting-approval',
        detail: 'trust',
      });
      expect(bed.prompts()).toEqual([]);
      await bed.ok(['answer', 'api', 'yes']);
      await bed.reaches('api', 'idle');
      await bed.ask('api', 'and this');
      expect(bed.prompts()).toEqual(['hello', 'and this']);
    });
  },
);
