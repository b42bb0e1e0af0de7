import type { Statement } from 'better-sqlite3';
import { camelKeys } from '../../base/case-keys.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { HookEvent, HookFact } from '../../domain/hook-fact.ts';
import type { Launch, Operation } from '../../domain/launch.ts';
import type { MonitorTerm } from '../../domain/monitor-term.ts';
import { nameKey } from '../../domain/names.ts';
import type { AgentIdentity, Session, TmuxServerRecord } from '../../domain/session.ts';
import type { RegistryReader } from '../../ports/registry.ts';
import type { Connection } from './connect.ts';

/** Deliveries that are not settled. @see src/domain/delivery.ts */
export const OPEN = "data ->> 'state' IN ('queued', 'typing', 'typed', 'entered')";

interface EventRow {
  readonly launch: string;
  readonly name: string;
  readonly at_ms: number;
  readonly fact: string;
}

interface DataRow {
  readonly data: string;
}

/** Reads rows that were checked when they were written. Statements are prepared when first used. */
export class SqliteReader implements RegistryReader {
  protected readonly db: Connection;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Connection) {
    this.db = db;
  }

  /** Reads every page of the sessions. @throws SQLite's own error when one is damaged. */
  assertReadable(): void {
    this.prepare('SELECT max(length(data)) FROM sessions').get();
  }

  revision(): number {
    return Number(this.meta('revision') ?? 0);
  }

  sessions(): readonly Session[] {
    return this.all<Session>('SELECT data FROM sessions ORDER BY id');
  }

  findSession(name: string): Session | undefined {
    return this.one<Session>('SELECT data FROM sessions WHERE name_key = ?', nameKey(name));
  }

  findSessionById(id: string): Session | undefined {
    return this.one<Session>('SELECT data FROM sessions WHERE id = ?', id);
  }

  findConversationOwner(agent: string, conversationId: string): Session | undefined {
    const sql = `SELECT s.data FROM conversations c JOIN sessions s ON s.id = c.session_id
      WHERE c.agent = ? AND c.conversation_id = ?`;
    return this.one<Session>(sql, agent, conversationId);
  }

  findLaunch(id: string): Launch | undefined {
    return this.one<Launch>('SELECT data FROM launches WHERE id = ?', id);
  }

  launches(sessionId: string): readonly Launch[] {
    return this.all<Launch>(
      'SELECT data FROM launches WHERE session_id = ? ORDER BY id',
      sessionId,
    );
  }

  unfinishedLaunches(): readonly Launch[] {
    // The second condition lets the partial index be used: nearly all that are open are up.
    const sql = `SELECT data FROM launches WHERE state IN ('reserved', 'spawned') AND state <> 'ended'
      ORDER BY id`;
    return this.all<Launch>(sql);
  }

  openLaunches(): readonly Launch[] {
    return this.all<Launch>("SELECT data FROM launches WHERE state <> 'ended' ORDER BY id");
  }

  findOperation(sessionId: string): Operation | undefined {
    return this.one<Operation>('SELECT data FROM operations WHERE session_id = ?', sessionId);
  }

  operations(): readonly Operation[] {
    return this.all<Operation>('SELECT data FROM operations');
  }

  findDelivery(id: string): Delivery | undefined {
    return this.one<Delivery>('SELECT data FROM deliveries WHERE id = ?', id);
  }

  deliveries(
    sessionId: string,
    { open }: { readonly open: boolean } = { open: false },
  ): readonly Delivery[] {
    const sql = `SELECT data FROM deliveries WHERE session_id = ? ${open ? `AND ${OPEN}` : ''}
      ORDER BY data ->> 'created_at', id`;
    return this.all<Delivery>(sql, sessionId);
  }

  hookEvents(launch: string): readonly HookEvent[] {
    return this.hookEventsOf([launch]).get(launch) ?? [];
  }

  hookEventsOf(
    launches: readonly string[],
    newest = Number.MAX_SAFE_INTEGER,
  ): ReadonlyMap<string, readonly HookEvent[]> {
    const sql = `SELECT launch, name, at_ms, fact FROM (
        SELECT *, row_number() OVER (PARTITION BY launch ORDER BY at_ms DESC, name DESC) AS age
        FROM hook_events WHERE launch IN (SELECT value FROM json_each(?))
      ) WHERE age <= ? ORDER BY launch, age DESC`;
    const rows = this.prepare(sql).all(JSON.stringify(launches), newest) as EventRow[];
    const found = new Map<string, HookEvent[]>(launches.map((launch) => [launch, []]));
    for (const row of rows) found.get(row.launch)?.push(toHookEvent(row));
    return found;
  }

  tmuxServer(): TmuxServerRecord | undefined {
    return this.record('tmux_server');
  }

  monitorTerm(): MonitorTerm | undefined {
    return this.record('monitor_term');
  }

  identities(): readonly AgentIdentity[] {
    return this.all<AgentIdentity>('SELECT data FROM identities ORDER BY agent, conversation_id');
  }

  protected meta(key: string): string | undefined {
    const row = this.prepare('SELECT value FROM meta WHERE key = ?').get(key);
    return (row as { value: string } | undefined)?.value;
  }

  private record<T>(key: string): T | undefined {
    const text = this.meta(key);
    return text === undefined ? undefined : parsed<T>(text);
  }

  protected prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  protected one<T>(sql: string, ...parameters: readonly unknown[]): T | undefined {
    const row = this.prepare(sql).get(...parameters) as DataRow | undefined;
    return row && parsed<T>(row.data);
  }

  private all<T>(sql: string, ...parameters: readonly unknown[]): readonly T[] {
    const rows = this.prepare(sql).all(...parameters) as DataRow[];
    return rows.map((row) => parsed<T>(row.data));
  }
}

function toHookEvent({ name, at_ms: atMs, fact }: EventRow): HookEvent {
  return { name, atMs, fact: parsed<HookFact>(fact) };
}

/** It was checked when it was written: what is no JSON now lies in a damaged page. */
function parsed<T>(text: string): T {
  try {
    return camelKeys<T>(JSON.parse(text));
  } catch {
    throw Object.assign(new Error('a record is no JSON'), { code: 'SQLITE_CORRUPT' });
  }
}
