import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

const SESSIONS = 4;
const TEXTS = 25;

describe('BL-07 parallel sends swap their messages', () => {
  it("gives each session its own 25 texts once, and leaves the user's buffer on top", async () => {
    await using bed = await TestBed.open();
    const ids = new Map<string, string>();
    for (let k = 1; k <= SESSIONS; k++) {
      const { json } = await bed.create(`s${k}`);
      ids.set(`s${k}`, json.session.conversation_id);
    }
    expect(bed.tmux('set-buffer', 'mine').code).toBe(0);

    const sends = [...ids.keys()].flatMap((name, k) =>
      Array.from({ length: TEXTS }, (_, i) =>
        bed.mam(['send', name, textOf(k + 1, i + 1), '--timeout', '100', '--json']),
      ),
    );
    const results = await Promise.all(sends);
    expect(results.filter(({ code }) => code !== 0).map(({ stdout }) => stdout)).toEqual([]);

    for (const [k, id] of [...ids.values()].entries()) {
      const wanted = Array.from({ length: TEXTS }, (_, i) => textOf(k + 1, i + 1));
      const taken = bed.truth(id).map(({ mode, text }) => `${mode} ${text}`);
      expect(taken.sort()).toEqual(wanted.map((text) => `prompt ${text}`).sort());
    }
    const buffers = bed.tmux('list-buffers', '-F', '#{buffer_sample}').stdout;
    expect(buffers).toBe('mine\n');
    expect(bed.tmux('show-buffer').stdout).toBe('mine');
  });
});

const textOf = (session: number, i: number) => `S${session}-M${i}`;
