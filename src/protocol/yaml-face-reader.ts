import { parse } from 'yaml';
import * as z from 'zod/mini';
import type { Session } from '../domain/session.ts';

const text = z.string();
const optionalText = z.nullable(z.optional(text));

/** What a reader needs of an entry when the database cannot be read. Times and pids may be old. */
const entrySchema = z.looseObject({
  id: text,
  name: text,
  agent: text,
  role: text,
  status: z.enum(['running', 'stopped', 'terminated']),
  resumable: z.boolean(),
  cwd: text,
  workspace_root: text,
  permissions: z.enum(['skip', 'ask']),
  start_command: z.array(text),
  launch: text,
  created_at: text,
  stopped_at: optionalText,
  parent: optionalText,
});

/**
 * The sessions of a face, for when the database is damaged. Entries that cannot be read are left out
 * and named.
 */
export function readFaceSessions(
  face: string,
  conversationKeys: Readonly<Record<string, string>>,
): { readonly sessions: readonly Session[]; readonly unreadable: readonly string[] } {
  const document: unknown = parse(face);
  const { sessions: entries = {} } = (document ?? {}) as { sessions?: Record<string, unknown> };
  const sessions: Session[] = [];
  const unreadable: string[] = [];
  for (const [key, value] of Object.entries(entries ?? {})) {
    const result = entrySchema.safeParse(value);
    if (result.success) sessions.push(toSession(result.data, conversationKeys));
    else unreadable.push(key);
  }
  return { sessions, unreadable };
}

function toSession(
  entry: z.infer<typeof entrySchema>,
  conversationKeys: Readonly<Record<string, string>>,
): Session {
  const conversation = entry[conversationKeys[entry.agent] ?? `${entry.agent}_conversation_id_own`];
  return {
    id: entry.id,
    name: entry.name,
    agent: entry.agent,
    role: entry.role,
    status: entry.status,
    resumable: entry.resumable,
    cwd: entry.cwd,
    workspaceRoot: entry.workspace_root,
    permissions: entry.permissions,
    model: null,
    startCommand: entry.start_command,
    extraArgs: [],
    envNames: [],
    mcpAttachments: [],
    launch: entry.launch,
    tmux: null,
    agentProcess: null,
    pane: null,
    conversationId: typeof conversation === 'string' ? conversation : null,
    storeFolder: null,
    prompted: true,
    conversationHistory: [],
    parent: entry.parent ?? null,
    createdAt: entry.created_at,
    stoppedAt: entry.stopped_at ?? null,
    ended: null,
    lastScreen: null,
    // Whether it still runs cannot be judged from a face: as if it were another machine's.
    host: 'unknown',
    boot: 'unknown',
    pidNamespace: 'unknown',
  };
}
