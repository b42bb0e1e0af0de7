import Database from 'better-sqlite3';

export type Connection = Database.Database;

/**
 * Node 24.19 and later abort the process when a wrapper object of better-sqlite3 12 is collected while no
 * JavaScript runs (docs/decisions/0007); on them none ever is. Connections and their statements are few.
 */
const kept: unknown[] = [];
const mustKeep = Number(process.versions.node.split('.')[0]) >= 24;

/**
 * Opens a database. Every statement of it goes through `prepare`: not `pragma`, `iterate` or `backup`,
 * whose statements cannot be kept.
 */
export function connect(path: string, options: Database.Options = {}): Connection {
  const db = new Database(path, options);
  if (!mustKeep) return db;
  kept.push(db);
  const prepare = db.prepare.bind(db) as (sql: string) => Database.Statement;
  return Object.assign(db, {
    prepare: (sql: string) => {
      const statement = prepare(sql);
      kept.push(statement);
      return statement;
    },
  });
}

/** The value of a pragma. @param source - For example `user_version` or `journal_mode = WAL`. */
export function pragma(db: Connection, source: string): unknown {
  return db.prepare(`PRAGMA ${source}`).pluck().get();
}

/** Whether somebody else holds a lock that was not to be had in time. */
export function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
}
