import { snakeKeys } from '../../base/case-keys.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { MamError } from '../../domain/errors.ts';
import type { HookEvent } from '../../domain/hook-fact.ts';
import type { Launch, Operation } from '../../domain/launch.ts';
import type { MonitorTerm } from '../../domain/monitor-term.ts';
import { nameKey } from '../../domain/names.ts';
import type { AgentIdentity, Session, TmuxServerRecord } from '../../domain/session.ts';
import { assertSessionChange, nameTaken } from '../../domain/session-rules.ts';
import type { RegistryTransaction } from '../../ports/registry.ts';
import { checkSession } from '../../protocol/session-schema.ts';
import { OPEN, SqliteReader } from './reader.ts';

/** Cached identities kept for each agent; the oldest go. */
const IDENTITIES_PER_AGENT = 500;
/** What is trimmed may exceed its bound by this part of it, so that most writes need not trim. */
const TRIM_SHARE = 10;

/** Writes, each validated before it is stored. Used only inside `Registry.update`. */
export class SqliteTransaction extends SqliteReader implements RegistryTransaction {
  putSession(session: Session): void {
    checkSession(session);
    const before = this.findSessionById(session.id);
    if (before) assertSessionChange(before, session);
    const key = nameKey(session.name);
    const holder = this.findSession(session.name);
    if (holder && holder.id !== session.id) throw nameTaken(holder, session.name);
    this.put('sessions', ['id', 'name_key', 'status'], [session.id, key, session.status], session);
    this.#claimConversations(session);
  }

  deleteSession(id: string): void {
    this.prepare('DELETE FROM sessions WHERE id = ?').run(id);
  }

  putLaunch(launch: Launch): void {
    const key = nameKey(launch.session.name);
    const sql = "SELECT data FROM launches WHERE state = 'reserved' AND name_key = ? AND id <> ?";
    const other = launch.state === 'reserved' && this.one<Launch>(sql, key, launch.id);
    if (other) throw nameTaken(other.session, launch.session.name);
    const columns = ['id', 'session_id', 'state', 'name_key'];
    this.put('launches', columns, [launch.id, launch.sessionId, launch.state, key], launch);
  }

  deleteLaunch(id: string): void {
    this.prepare('DELETE FROM hook_events WHERE launch = ?').run(id);
    this.prepare('DELETE FROM launches WHERE id = ?').run(id);
  }

  deleteLaunches(sessionId: string): void {
    const ofSession = 'SELECT id FROM launches WHERE session_id = ?';
    this.prepare(`DELETE FROM hook_events WHERE launch IN (${ofSession})`).run(sessionId);
    this.prepare('DELETE FROM launches WHERE session_id = ?').run(sessionId);
  }

  putOperation(operation: Operation): void {
    this.put('operations', ['session_id'], [operation.sessionId], operation);
  }

  deleteOperation(sessionId: string): void {
    this.prepare('DELETE FROM operations WHERE session_id = ?').run(sessionId);
  }

  putDelivery(delivery: Delivery): void {
    const event = delivery.evidence?.event ?? null;
    const columns = ['id', 'session_id', 'launch', 'evidence_event'];
    this.put(
      'deliveries',
      columns,
      [delivery.id, delivery.sessionId, delivery.launch, event],
      delivery,
    );
  }

  deleteDeliveries(sessionId: string): void {
    this.prepare('DELETE FROM deliveries WHERE session_id = ?').run(sessionId);
  }

  trimDeliveries(sessionId: string, keep: number): void {
    const counted = 'SELECT count(*) AS count FROM deliveries WHERE session_id = ?';
    if (this.#count(counted, sessionId) <= keep + keep / TRIM_SHARE) return;
    const sql = `DELETE FROM deliveries WHERE id IN (
      SELECT id FROM deliveries WHERE session_id = ? AND NOT ${OPEN}
      ORDER BY data ->> 'created_at' DESC, id DESC LIMIT -1 OFFSET ?)`;
    this.prepare(sql).run(sessionId, keep);
  }

  trimHookEvents(launch: string, keep: number): void {
    const counted = 'SELECT count(*) AS count FROM hook_events WHERE launch = ?';
    if (this.#count(counted, launch) <= keep + keep / TRIM_SHARE) return;
    const sql = `DELETE FROM hook_events WHERE launch = @launch AND name IN (
      SELECT name FROM hook_events WHERE launch = @launch
      ORDER BY at_ms DESC, name DESC LIMIT -1 OFFSET @keep) AND name NOT IN (
      SELECT name FROM hook_events
      WHERE launch = @launch AND fact ->> 'kind' = 'conversation-started'
      ORDER BY at_ms DESC, name DESC LIMIT 1)`;
    this.prepare(sql).run({ launch, keep });
  }

  forgetEndedEvents(sessionId: string): void {
    const sql = `DELETE FROM hook_events
      WHERE launch IN (SELECT id FROM launches WHERE session_id = @sessionId AND state = 'ended')
      AND launch NOT IN (SELECT launch FROM deliveries WHERE session_id = @sessionId AND ${OPEN})`;
    this.prepare(sql).run({ sessionId });
  }

  addHookEvent(launch: string, event: HookEvent): boolean {
    const sql = 'INSERT OR IGNORE INTO hook_events (launch, name, at_ms, fact) VALUES (?, ?, ?, ?)';
    const fact = JSON.stringify(snakeKeys(event.fact));
    return this.prepare(sql).run(launch, event.name, event.atMs, fact).changes === 1;
  }

  setTmuxServer(server: TmuxServerRecord | undefined): void {
    this.setRecord('tmux_server', server);
  }

  setMonitorTerm(term: MonitorTerm | undefined): void {
    this.setRecord('monitor_term', term);
  }

  rememberIdentity(identity: AgentIdentity): void {
    const columns = ['agent', 'conversation_id', 'last_seen'];
    this.put('identities', columns, [identity.agent, identity.id, identity.lastSeen], identity);
    const sql = `DELETE FROM identities WHERE agent = @agent AND conversation_id NOT IN (
      SELECT conversation_id FROM identities WHERE agent = @agent ORDER BY last_seen DESC LIMIT @keep)`;
    this.prepare(sql).run({ agent: identity.agent, keep: IDENTITIES_PER_AGENT });
  }

  /** Called once, just before the commit. */
  countRevision(): void {
    this.setMeta('revision', String(this.revision() + 1));
  }

  #claimConversations(session: Session): void {
    const { agent, conversationId, conversationHistory } = session;
    const owned =
      conversationId === null ? conversationHistory : [...conversationHistory, conversationId];
    for (const id of owned) {
      const owner = this.findConversationOwner(agent, id);
      if (owner && owner.id !== session.id) throw claimed(id, owner);
    }
    this.prepare('DELETE FROM conversations WHERE session_id = ?').run(session.id);
    const insert = this.prepare('INSERT OR IGNORE INTO conversations VALUES (?, ?, ?)');
    for (const id of owned) insert.run(agent, id, session.id);
  }

  #count(sql: string, key: string): number {
    return (this.prepare(sql).get(key) as { count: number }).count;
  }

  private setRecord(key: string, record: object | undefined): void {
    if (record) this.setMeta(key, JSON.stringify(snakeKeys(record)));
    else this.prepare('DELETE FROM meta WHERE key = ?').run(key);
  }

  private setMeta(key: string, value: string): void {
    this.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
  }

  private put(
    table: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    record: object,
  ): void {
    const [key] = columns;
    const all = [...columns, 'data'];
    const keys = table === 'identities' ? 'agent, conversation_id' : key;
    // Not INSERT OR REPLACE: that deletes the row first, and with it the conversations that refer to it.
    const sql = `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
      ON CONFLICT (${keys}) DO UPDATE SET ${all.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    this.prepare(sql).run(...values, JSON.stringify(snakeKeys(record)));
  }
}

function claimed(conversationId: string, owner: Session): MamError {
  return new MamError(
    'conversation.claimed',
    `Conversation ${conversationId} belongs to session "${owner.name}".`,
    { session: owner.name, conversation_id: conversationId },
  );
}
