import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

describe('package.json', () => {
  it('pins every dependency exactly', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies };
    const loose = Object.entries<string>(all).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('is called multi-agent-mux, gives the command mam, and runs on Node 20.19', () => {
    expect(manifest).toMatchObject({
      name: 'multi-agent-mux',
      bin: { mam: 'dist/mam.js' },
      engines: { node: '>=20.19' },
      allowScripts: { 'better-sqlite3': true, esbuild: true },
    });
  });

  it('locks packages by name and version, without the address of a registry', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved":/);
  });
});

describe('the workspace that ships', () => {
  it('has the same commented settings as a new one', () => {
    expect(read('.mam/config.yaml')).toBe(read('src/assets/config.yaml'));
  });

  it('sets nothing: every line is a comment', () => {
    const lines = read('.mam/config.yaml')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([]);
  });
});

describe('better-sqlite3', () => {
  it('is opened in one place, which keeps its objects (docs/decisions/0007)', () => {
    const sources = ['src', 'test', 'bench'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name}`),
    );
    const opens = (path: string) => /^import (?!type).* from 'better-sqlite3';$/m.test(read(path));
    expect(sources.filter(opens)).toEqual(['src/drivers/sqlite/connect.ts']);
    const drops = (path: string) => /\.(?:pragma|iterate|backup)\(/.test(read(path));
    expect(sources.filter(drops)).toEqual([]);
  });
});

describe('scripts', () => {
  it.each(['.ci/run', 'scripts/quickstart.sh'])('%s can be run', (path) => {
    expect(statSync(join(root, path)).mode & 0o111).toBe(0o111);
  });

  it('CI calls the command that the README gives for the tests', () => {
    const [, command] = /Run the tests:\*\*\n\n```sh\n(.*)\n```/.exec(read('README.md')) ?? [];
    expect(command).toBe('npm ci && npm test');
    expect(read('.ci/run')).toMatch(/^npm ci .*\nnpm test$/m);
  });
});
