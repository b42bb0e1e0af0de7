import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFiles } from '../drivers/node/files.ts';
import { openAdapters } from './adapters.ts';

const assets = join(import.meta.dirname, '../assets');
const codex = readFileSync(join(assets, 'agents/codex.yaml'), 'utf8');
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mam-cards-'));
  mkdirSync(join(root, 'agents'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function open() {
  const cardFolders = [`${assets}/agents`, `${root}/agents`];
  return openAdapters({ files: nodeFiles(assets), demoAgent: '/d/demo-agent.js', cardFolders });
}

function putCard(name: string, text: string): void {
  writeFileSync(join(root, 'agents', name), text);
}

describe('agents by a card', () => {
  it('are known by their files, and read when somebody asks for them', async () => {
    putCard('mine.yaml', codex.replace('[codex]', '[mine]'));
    const adapters = open();
    expect(adapters.kinds).toEqual([...adapters.kinds].sort());
    expect(adapters.kinds).toEqual(expect.arrayContaining(['claude', 'codex', 'demo', 'mine']));
    await adapters.load(['mine', 'codex', 'claude']);
    expect(adapters.named('mine').card.binaries).toEqual(['mine']);
    expect(adapters.get('codex').card.binaries).toEqual(['codex']);
  });

  it('replace a shipped card, never an agent of code', async () => {
    for (const name of ['codex.yml', 'claude.yaml']) {
      putCard(name, codex.replace('[codex]', '[mine]'));
    }
    const adapters = open();
    await adapters.load(['codex', 'claude']);
    expect(adapters.named('codex').card.binaries).toEqual(['mine']);
    expect(adapters.named('claude').card.binaries).toEqual(['claude']);
  });

  it('are read again when their file has changed, and forgotten when it is gone', async () => {
    putCard('mine.yaml', codex.replace('[codex]', '[one]'));
    const adapters = open();
    await adapters.load(['mine']);
    putCard('mine.yaml', codex.replace('[codex]', '[another]'));
    await adapters.load(['mine']);
    expect(adapters.named('mine').card.binaries).toEqual(['another']);
    rmSync(join(root, 'agents/mine.yaml'));
    await adapters.load(['mine']);
    expect(() => adapters.named('mine')).toThrow('There is no agent "mine"');
    expect(adapters.get('mine').readScreen).toBeDefined();
  });

  it('tell what is wrong with their card to who names them; the others work on', async () => {
    putCard('mine.yaml', 'v: 1\nbinaris: [x]\n');
    putCard('My-Agent.yaml', codex);
    const adapters = open();
    await adapters.load(['mine', 'codex', 'My-Agent']);
    expect(() => adapters.named('mine')).toThrow(`${root}/agents/mine.yaml:2:1: unknown key`);
    expect(() => adapters.named('My-Agent')).toThrow('begins with a letter');
    expect(adapters.kinds).not.toContain('My-Agent');
    const screen = { rows: [], cols: 140, cursor: { x: 0, y: 0 }, title: '' };
    expect(adapters.get('mine').readScreen(screen)).toMatchObject({ state: 'unknown' });
    expect(adapters.named('codex').kind).toBe('codex');
  });

  it('names every agent that there is to who names none of them', () => {
    const adapters = open();
    expect(() => adapters.named('nobody')).toThrow(adapters.kinds.join(', '));
  });
});
