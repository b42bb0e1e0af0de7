import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { camelKeys, snakeKeys } from '../../base/case-keys.ts';
import { isMamError, MamError } from '../../domain/errors.ts';
import type { Claims, ConversationClaim, ConversationKey } from '../../ports/claims.ts';
import { type Connection, connect } from './connect.ts';
import { explain, WRITE_TIMEOUT_MS } from './open.ts';

/** One table: a later column needs a file of another name. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS claims (
    agent TEXT NOT NULL,
    folder TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    launch TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data)),
    PRIMARY KEY (agent, folder, conversation_id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS claims_launch ON claims (launch);
`;

/**
 * `~/.mam/claims.db`. Opened for each step: a monitor that lives for weeks must not hold on to a file
 * that was removed meanwhile.
 */
export function sqliteClaims(path: string): Claims {
  return {
    find: (key) => read(path, (db) => find(db, key)),
    take: (claim, isOver) =>
      within(path, (db) => {
        const holder = find(db, claim);
        if (holder && holder.launch !== claim.launch && !isOver(holder)) return holder;
        db.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)').run(
          ...keyOf(claim),
          claim.launch,
          JSON.stringify(snakeKeys(claim)),
        );
        return undefined;
      }),
    release(launch) {
      if (!existsSync(path)) return;
      within(path, (db) => db.prepare('DELETE FROM claims WHERE launch = ?').run(launch));
    },
  };
}

/** Writes nothing; a file that was just begun has no table yet. */
function read<T>(path: string, step: (db: Connection) => T): T | undefined {
  if (!existsSync(path)) return undefined;
  return withFile(path, { readonly: true, fileMustExist: true }, (db) => {
    const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'claims'").get();
    return table === undefined ? undefined : step(db);
  });
}

function within<T>(path: string, step: (db: Connection) => T): T {
  return withFile(path, {}, (db) => {
    db.exec('BEGIN IMMEDIATE');
    db.exec(SCHEMA);
    const result = step(db);
    db.exec('COMMIT');
    return result;
  });
}

function withFile<T>(
  path: string,
  options: Parameters<typeof connect>[1],
  step: (db: Connection) => T,
): T {
  let db: Connection | undefined;
  try {
    if (!options?.readonly) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    db = connect(path, { ...options, timeout: WRITE_TIMEOUT_MS });
    return step(db);
  } catch (error) {
    throw explainClaims(error, path);
  } finally {
    db?.close();
  }
}

function find(db: Connection, key: ConversationKey): ConversationClaim | undefined {
  const data = db
    .prepare('SELECT data FROM claims WHERE agent = ? AND folder = ? AND conversation_id = ?')
    .pluck()
    .get(...keyOf(key));
  return typeof data === 'string' ? camelKeys<ConversationClaim>(JSON.parse(data)) : undefined;
}

function keyOf({ agent, folder, conversationId }: ConversationKey): [string, string, string] {
  return [agent, folder, conversationId];
}

/** It can be made anew, as the registry cannot. */
function explainClaims(error: unknown, path: string): unknown {
  const explained = explain(error, path);
  if (!isMamError(explained, 'registry.damaged')) return explained;
  return new MamError(
    'registry.damaged',
    `${path}, which tells who holds which conversation, is damaged; nothing was changed.`,
    { path },
    { cause: error, hint: 'It is made anew: remove it while no agent of yours runs.' },
  );
}
