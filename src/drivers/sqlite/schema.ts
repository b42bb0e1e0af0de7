/**
 * Steps from one schema version to the next; the database's `user_version` counts how many were taken.
 * A step that was released is never edited: add another.
 *
 * `data` holds the whole record as snake_case JSON; the columns beside it are what queries and
 * constraints need.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  INSERT INTO meta VALUES ('revision', '0');

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name_key TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'terminated')),
    data TEXT NOT NULL CHECK (json_valid(data))
  ) WITHOUT ROWID;

  CREATE TABLE conversations (
    agent TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    PRIMARY KEY (agent, conversation_id)
  ) WITHOUT ROWID;
  CREATE INDEX conversations_session ON conversations (session_id);

  CREATE TABLE launches (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'spawned', 'up', 'ended')),
    name_key TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX launches_reserved_name ON launches (name_key) WHERE state = 'reserved';
  CREATE INDEX launches_open ON launches (state) WHERE state <> 'ended';
  CREATE INDEX launches_session ON launches (session_id);

  CREATE TABLE operations (
    session_id TEXT PRIMARY KEY,
    data TEXT NOT NULL CHECK (json_valid(data))
  ) WITHOUT ROWID;

  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    launch TEXT NOT NULL,
    evidence_event TEXT,
    data TEXT NOT NULL CHECK (json_valid(data))
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX deliveries_evidence ON deliveries (launch, evidence_event)
    WHERE evidence_event IS NOT NULL;
  CREATE INDEX deliveries_session ON deliveries (session_id);

  CREATE TABLE hook_events (
    launch TEXT NOT NULL,
    name TEXT NOT NULL,
    at_ms REAL NOT NULL,
    fact TEXT NOT NULL CHECK (json_valid(fact)),
    PRIMARY KEY (launch, name)
  ) WITHOUT ROWID;

  CREATE TABLE identities (
    agent TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data)),
    PRIMARY KEY (agent, conversation_id)
  ) WITHOUT ROWID;
  `,
];
