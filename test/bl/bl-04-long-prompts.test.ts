import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, TestBed } from '../support/test-bed.ts';

const KIB = 1024;
const LIMIT = KIB * KIB;
const sizes = [1_100, 3 * KIB, 20 * KIB, 60 * KIB, 140 * KIB, LIMIT];

/** Lines of unlike lengths and scripts, between a head and a tail that name the size. */
function promptOf(size: number, name: string): string {
  const head = `HEAD-${name}-${size}\n`;
  const tail = `\nTAIL-${name}-${size}`;
  const line = `${'x'.repeat(137)} 한국어 ${'y'.repeat(11)}\n`;
  const body = line.repeat(Math.ceil(size / line.length));
  let text = head + body.slice(0, size) + tail;
  const excess = Buffer.byteLength(text) - size;
  text = head + trimmed(body.slice(0, size), excess) + tail;
  return text + '.'.repeat(size - Buffer.byteLength(text));
}

/** Without its last characters, at least so many bytes. */
function trimmed(text: string, bytes: number): string {
  let cut = 0;
  let at = text.length;
  while (cut < bytes) cut += Buffer.byteLength(text[--at] ?? '');
  return text.slice(0, at);
}

/** Looks at the arguments of every process until `done`, and tells those that held `word`. */
async function watchArguments<T>(
  word: string,
  work: Promise<T>,
): Promise<{ result: T; seen: string[] }> {
  const seen: string[] = [];
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (line.includes(word)) seen.push(line.slice(0, 200));
      } catch {
        // It ended between the two reads.
      }
    }
  }, 3);
  try {
    return { result: await work, seen };
  } finally {
    clearInterval(timer);
  }
}

describe('BL-04 very long prompts are cut or dropped', () => {
  it.each(['file', 'stdin'])('delivers every size whole, by %s', async (how) => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    for (const size of sizes) {
      const prompt = promptOf(size, how);
      expect(Buffer.byteLength(prompt)).toBe(size);
      const file = join(bed.root, `${size}.txt`);
      writeFileSync(file, prompt);
      // Its own time is the limit: more than 5 s would not be a success.
      const send = ['send', 'a1', ...(how === 'file' ? ['--file', file] : ['-'])];
      const { result, seen } = await watchArguments(
        `HEAD-${how}-${size}`,
        bed.mam([...send, '--timeout', '5', '--json'], how === 'stdin' ? { input: prompt } : {}),
      );
      expect(result.code, result.stdout + result.stderr).toBe(0);
      expect(result.json.delivery.evidence.source).toBe('hook');
      expect(seen).toEqual([]);
      const taken = bed.truth().at(-1);
      expect(taken?.mode).toBe('prompt');
      expect(taken?.text === prompt, `${size} bytes arrived as they were`).toBe(true);
      await untilIdle(bed);
    }
    expect(bed.truth()).toHaveLength(sizes.length);
  });

  it('refuses what is too long, names size and limit, and types nothing', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { code, json } = await bed.mam(['send', 'a1', '-', '--json'], {
      input: 'z'.repeat(LIMIT + 1),
    });
    expect(code).toBe(2);
    expect(json.error).toMatchObject({
      code: 'prompt.too-long',
      details: { size_bytes: LIMIT + 1, limit_bytes: LIMIT },
    });
    expect(json.error.message).toContain(String(LIMIT + 1));
    expect(json.error.message).toContain(String(LIMIT));
    expect(bed.truth()).toEqual([]);
  });

  it('refuses it at create before anything exists', async () => {
    await using bed = await TestBed.open();
    const create = ['create', 'a1', '--agent', 'demo', '--role', 'creator', '--prompt', '-'];
    const { code }: CliResult = await bed.mam(create, { input: 'z'.repeat(LIMIT + 1) });
    expect(code).toBe(2);
    const { json } = await bed.ok(['status', '--json']);
    expect(json.sessions).toEqual([]);
  });

  it('keeps the text in a file that only its owner reads, and no longer than needed', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    await bed.ok(['send', 'a1', '[[delay 60000]]']);
    const secret = 'nobody else reads this';
    const { code } = await bed.mam(['send', 'a1', '-', '--id', 's1', '--timeout', '0'], {
      input: secret,
    });
    expect(code).toBe(8);
    const [file, ...others] = textFiles(bed).filter((path) =>
      readFileSync(path, 'utf8').includes(secret),
    );
    expect(others).toEqual([]);
    expect(statSync(file ?? '').mode & 0o777).toBe(0o600);
    bed.tmux('send-keys', '-t', '=demo-creator-a1:', 'Escape');
    await bed.ok(['send', 'a1', '-', '--id', 's1'], { input: secret });
    expect(textFiles(bed)).toEqual([]);
  });
});

/** Texts of deliveries that lie in launch folders. */
function textFiles(bed: TestBed): string[] {
  const run = join(bed.cwd, '.mam', 'run');
  return readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => /delivery-.*\.txt$/.test(name))
    .map((name) => join(run, name));
}

async function untilIdle(bed: TestBed): Promise<void> {
  await bed.ok(['status', 'a1', '--wait', 'idle', '--timeout', '20']);
}
