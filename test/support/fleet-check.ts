import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { camelKeys } from '../../src/base/case-keys.ts';
import type { Launch } from '../../src/domain/launch.ts';
import type { Session } from '../../src/domain/session.ts';
import { pragma } from '../../src/drivers/sqlite/connect.ts';
import { sessionSchema } from '../../src/protocol/session-schema.ts';
import { readFaceRevision } from '../../src/protocol/yaml-face.ts';
import { allPids, environmentOf, isAlive } from './processes.ts';
import { withDatabase } from './registry-sql.ts';
import type { TestBed } from './test-bed.ts';
import { until } from './until.ts';

export interface StoredFleet {
  readonly revision: number;
  readonly sessions: readonly Session[];
  readonly launches: readonly Launch[];
}

/** The registry as it is stored, every row held against its schema. @throws what is damaged. */
export function readFleet(bed: TestBed): StoredFleet {
  return withDatabase(bed, (db) => {
    const check = pragma(db, 'integrity_check');
    if (check !== 'ok') throw new Error(`the registry is damaged: ${String(check)}`);
    const all = <T>(table: string) => {
      const rows = db.prepare(`SELECT data FROM ${table}`).all() as { data: string }[];
      return rows.map(({ data }) => camelKeys<T>(JSON.parse(data)));
    };
    const sql = "SELECT value FROM meta WHERE key = 'revision'";
    const { value } = db.prepare(sql).get() as { value: string };
    const sessions = all<Session>('sessions');
    for (const session of sessions) sessionSchema.parse(session);
    return { revision: Number(value), sessions, launches: all<Launch>('launches') };
  });
}

/**
 * What must hold after a command has ended, whatever was killed before it: the registry is sound, its
 * face tells the same, and nothing runs or waits in tmux that no running session stands for.
 */
export async function expectSoundFleet(bed: TestBed): Promise<StoredFleet> {
  const fleet = readFleet(bed);
  expectFace(bed, fleet);
  // What a killed command had started just before may still be on its way out.
  await until(
    'nothing is left over',
    () => leftOver(bed, readFleet(bed)).length === 0,
    5_000,
  ).catch(() => {
    throw new Error(`left over: ${leftOver(bed, readFleet(bed)).join('; ')}`);
  });
  return fleet;
}

/** The YAML parses, is whole, and tells what the rows tell. */
function expectFace(bed: TestBed, { revision, sessions }: StoredFleet): void {
  const text = readFileSync(join(bed.cwd, '.mam/agent-sessions.yaml'), 'utf8');
  const written = readFaceRevision(text);
  if (written !== revision) throw new Error(`face of revision ${written}, registry ${revision}`);
  const entries = Object.values((parse(text) as { sessions: Record<string, FaceEntry> }).sessions);
  const told = entries.map(({ id, name, status, launch, demo_conversation_id_own: own }) =>
    [id, name, status, launch, own].join(' '),
  );
  const stored = sessions.map(({ id, name, status, launch, conversationId }) =>
    [id, name, status, launch, conversationId].join(' '),
  );
  if (told.sort().join() !== stored.sort().join()) {
    throw new Error(`face and registry differ:\n${told.join('\n')}\n---\n${stored.join('\n')}`);
  }
}

interface FaceEntry {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly launch: string;
  readonly demo_conversation_id_own: string | null;
}

/** Processes and tmux sessions without a running session, launches and secrets without an owner. */
function leftOver(bed: TestBed, { sessions, launches }: StoredFleet): string[] {
  const running = sessions.filter(({ status }) => status === 'running');
  const current = new Set(running.map(({ launch }) => launch));
  const processes = allPids().flatMap((pid) => {
    const { MAM_LAUNCH, MAM_TEST_BED, MAM_WORKSPACE } = environmentOf(pid);
    const isOurs = MAM_WORKSPACE === bed.cwd || MAM_TEST_BED === bed.root;
    const isLost = isOurs && MAM_LAUNCH !== undefined && !current.has(MAM_LAUNCH) && isAlive(pid);
    return isLost ? [`process ${pid} of launch ${MAM_LAUNCH}`] : [];
  });
  const tags = existsSync(bed.socket)
    ? bed.tmux('list-sessions', '-F', '#{session_name} #{@mam_launch}').stdout.split('\n')
    : [];
  const panes = tags
    .filter((line) => line !== '' && !current.has(line.split(' ')[1] ?? ''))
    .map((line) => `tmux session ${line}`);
  const reserved = launches
    .filter(({ state }) => state === 'reserved')
    .map(({ id }) => `reserved launch ${id}`);
  const secrets = readdirSync(join(bed.cwd, '.mam/run'))
    .filter((name) => existsSync(join(bed.cwd, '.mam/run', name, 'start')))
    .map((name) => `start file of ${name}`);
  return [...processes, ...panes, ...reserved, ...secrets];
}
