import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, connect } from '../../src/drivers/sqlite/connect.ts';
import type { TestBed } from './test-bed.ts';

export function databasePath(bed: TestBed): string {
  return join(bed.cwd, '.mam', 'agent-sessions.db');
}

/** Works on a bed's registry behind mam's back. */
export function withDatabase<T>(bed: TestBed, fn: (db: Connection) => T): T {
  const db = connect(databasePath(bed), { timeout: 5_000 });
  try {
    return fn(db);
  } finally {
    db.close();
  }
}

/** The stored record of a session, as snake_case JSON. */
export function storedSession(bed: TestBed, name: string): unknown {
  return withDatabase(bed, (db) => {
    const sql = "SELECT data FROM sessions WHERE data ->> 'name' = ?";
    const row = db.prepare(sql).get(name) as { data: string } | undefined;
    return row && JSON.parse(row.data);
  });
}

/** Changes fields of a stored session without any of the checks. */
export function patchSession(
  bed: TestBed,
  name: string,
  patch: Readonly<Record<string, unknown>>,
): void {
  withDatabase(bed, (db) => {
    const sql = "UPDATE sessions SET data = json_patch(data, ?) WHERE data ->> 'name' = ?";
    db.prepare(sql).run(JSON.stringify(patch), name);
  });
}

/** As somebody who deletes the registry with all that tells of it. */
export function loseRegistry(bed: TestBed): void {
  for (const file of ['', '-wal', '-shm']) rmSync(`${databasePath(bed)}${file}`, { force: true });
  const run = join(bed.cwd, '.mam/run');
  for (const host of readdirSync(run)) rmSync(join(run, host, 'face-stamp'), { force: true });
  for (const file of ['agent-sessions.yaml', 'agent-sessions.yaml.bak']) {
    rmSync(join(bed.cwd, '.mam', file), { force: true });
  }
}

/** As somebody who restores an older registry. @param copy - Of the database, made while nobody wrote. */
export function putRegistryBack(bed: TestBed, copy: string): void {
  for (const file of ['-wal', '-shm']) rmSync(`${databasePath(bed)}${file}`, { force: true });
  cpSync(copy, databasePath(bed));
}
