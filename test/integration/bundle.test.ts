import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleFolder, TestBed } from '../support/test-bed.ts';

const textOf = (kind: 'shipped' | 'crash') =>
  readdirSync(bundleFolder(kind), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?js$/.test(name) && !name.startsWith('workers'))
    .map((name) => readFileSync(join(bundleFolder(kind), name), 'utf8'))
    .join('\n');

const packages = join(import.meta.dirname, '../../node_modules');

const TRACES = [
  'MAM_TEST_CRASH_AT',
  'registry.C4',
  'face.W7',
  'delivery.8',
  'launch.spawned',
  'stop.1',
];

describe('the shipped bundle', () => {
  it('has no trace of the places where a test stops the process', () => {
    const text = textOf('shipped');
    expect(TRACES.filter((trace) => text.includes(trace))).toEqual([]);
  });

  it('differs in nothing else from the one that tests stop, which has them', () => {
    const text = textOf('crash');
    expect(TRACES.filter((trace) => !text.includes(trace))).toEqual([]);
  });

  it('runs without its compiled code, and with one that is not its own', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const copy = join(bed.root, 'copy');
    cpSync(bundleFolder('shipped'), copy, { recursive: true });
    symlinkSync(packages, join(bed.root, 'node_modules'));
    const cache = join(copy, 'readers.code.js.cache');
    const status = () =>
      execFileSync(process.execPath, [join(copy, 'mam.js'), 'status'], {
        cwd: bed.cwd,
        env: bed.env,
        encoding: 'utf8',
      });
    const expected = status();
    expect(expected).toContain('a     demo');
    for (const bytes of [randomBytes(100_000), Buffer.alloc(0)]) {
      writeFileSync(cache, bytes);
      expect(status()).toBe(expected);
    }
    rmSync(cache);
    expect(status()).toBe(expected);
  });

  it('says what is missing where the compiled library of SQLite is not', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const copy = join(bed.root, 'copy');
    cpSync(bundleFolder('shipped'), copy, { recursive: true });
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
      cpSync(join(packages, name), join(bed.root, 'node_modules', name), {
        recursive: true,
        filter: (path) => !path.includes('/better-sqlite3/build'),
      });
    }
    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'mam.js'), 'status'], {
      cwd: bed.cwd,
      env: bed.env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([5, expect.stringContaining('npm rebuild better-sqlite3')]);
  });

  it('reads neither YAML nor options with a library to tell a status', () => {
    const libraries = ['YAMLParseError', 'excessArguments'];
    const holding = (file: string) => {
      const text = readFileSync(join(bundleFolder('shipped'), file), 'utf8');
      return libraries.filter((mark) => text.includes(mark));
    };
    expect(holding('readers.code.js')).toEqual([]);
    expect([...holding('config-parser.js'), ...holding('parser.js')]).toEqual(libraries);
  });

  it('does not hold a native module, and asks for one package only', () => {
    const asked = [
      ...textOf('shipped').matchAll(/(?:from|require\(|import\()\s*["']([a-z@][\w@/-]*)["']/g),
    ]
      .map(([, name = '']) => name)
      .filter((name) => !builtinModules.includes(name));
    expect([...new Set(asked)]).toEqual(['better-sqlite3']);
  });
});
