import type { Statement } from 'better-sqlite3';
import { type Connection, connect, pragma } from '../../../../src/drivers/sqlite/connect.ts';

/** The tables of the real file (`user_version` 1), the same since 1.0.7. */
const SCHEMA = `
  CREATE TABLE trajectory_meta(trajectory_id TEXT PRIMARY KEY, cascade_id TEXT, trajectory_type INTEGER, source INTEGER);
  CREATE TABLE steps(idx INTEGER PRIMARY KEY, step_type INTEGER NOT NULL DEFAULT 0, status INTEGER NOT NULL DEFAULT 0,
    has_subtrajectory NUMERIC NOT NULL DEFAULT false, metadata BLOB, error_details BLOB, permissions BLOB,
    task_details BLOB, render_info BLOB, step_payload BLOB, step_format INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX idx_steps_status ON steps(status);
  CREATE INDEX idx_steps_step_type ON steps(step_type);
  CREATE TABLE gen_metadata(idx INTEGER PRIMARY KEY, data BLOB, size INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE executor_metadata(idx INTEGER PRIMARY KEY, data BLOB);
  CREATE TABLE parent_references(idx INTEGER PRIMARY KEY, data BLOB);
  CREATE TABLE trajectory_metadata_blob(id TEXT DEFAULT "main" PRIMARY KEY, data BLOB);
  CREATE TABLE battle_mode_infos(idx INTEGER PRIMARY KEY, data BLOB);
  PRAGMA user_version = 1;`;

const STEP_TYPES: Readonly<Record<string, number>> = {
  ...{ USER_INPUT: 14, PLANNER_RESPONSE: 15, GENERIC: 21, RUN_COMMAND: 21, ERROR_MESSAGE: 17 },
  ...{ CHECKPOINT: 23, SYSTEM_MESSAGE: 101 },
};
const DONE = 3;

/** `conversations/<id>.db`, kept open as long as the process is on it. */
export class ConversationDatabase {
  readonly #db: Connection;
  readonly #insertStep: Statement;

  constructor(file: string, id: string, trajectoryId: string) {
    this.#db = connect(file);
    pragma(this.#db, 'journal_mode = WAL');
    if (pragma(this.#db, 'user_version') !== 1) {
      this.#db.exec(SCHEMA);
      const insert = 'INSERT INTO trajectory_meta VALUES (?, ?, 4, 17)';
      this.#db.prepare(insert).run(trajectoryId, id);
    }
    const sql = 'INSERT OR REPLACE INTO steps(idx, step_type, status) VALUES (?, ?, ?)';
    this.#insertStep = this.#db.prepare(sql);
  }

  addStep(index: number, type: string): void {
    this.#insertStep.run(index, STEP_TYPES[type] ?? 0, DONE);
  }

  close(): void {
    this.#db.close();
  }
}
