import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';
import * as z from 'zod/mini';
import { MamError } from '../domain/errors.ts';
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

export interface FaceText {
  /** Named in errors. */
  readonly path: string;
  readonly text: string;
}

export interface UnreadableEntry {
  readonly entry: string;
  /** From 1. */
  readonly line: number;
  /** Which fields are not what they must be; none when it is no mapping at all. */
  readonly fields: readonly string[];
}

/**
 * The sessions of a face, for when the database is damaged. Entries that cannot be read are left out
 * and named.
 *
 * @param conversationKeys - By the kinds of agents there are.
 * @throws {MamError} `registry.damaged` with line and column where the text is no face at all.
 */
export function readFaceSessions(
  { path, text }: FaceText,
  conversationKeys: Readonly<Record<string, string>>,
): { readonly sessions: readonly Session[]; readonly unreadable: readonly UnreadableEntry[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken) throw damaged(path, lineCounter.linePos(broken.pos[0]), broken.message);
  const sessions: Session[] = [];
  const unreadable: UnreadableEntry[] = [];
  for (const pair of entriesOf(document.contents, path, lineCounter)) {
    const [entry, offset] = keyOf(pair);
    const result = entrySchema.safeParse(plainValue(pair, document));
    const fields = result.success
      ? unknownAgent(result.data.agent, conversationKeys)
      : [...new Set(result.error.issues.flatMap(({ path: [field] }) => field ?? []).map(String))];
    if (result.success && fields.length === 0) {
      sessions.push(toSession(result.data, conversationKeys));
    } else unreadable.push({ entry, line: lineCounter.linePos(offset).line, fields });
  }
  return { sessions, unreadable };
}

type Contents = ReturnType<typeof parseDocument>['contents'];

/** @throws {MamError} `registry.damaged` where there is no mapping of sessions. */
function entriesOf(contents: Contents, path: string, lines: LineCounter): YAMLMap['items'] {
  const sessions = isMap(contents) ? contents.get('sessions', true) : undefined;
  if (isMap(sessions)) return sessions.items;
  const range = sessions?.range ?? contents?.range;
  throw damaged(path, lines.linePos(range?.[0] ?? 0), 'there is no mapping "sessions"');
}

function keyOf({ key }: Pair): readonly [name: string, offset: number] {
  return isScalar(key) ? [String(key.value), key.range?.[0] ?? 0] : [String(key), 0];
}

/** Undefined for what cannot be said in plain data, for example an alias of nothing. */
function plainValue(pair: Pair, document: ReturnType<typeof parseDocument>): unknown {
  try {
    return isMap(pair.value) ? pair.value.toJS(document) : undefined;
  } catch {
    return undefined;
  }
}

function unknownAgent(agent: string, known: Readonly<Record<string, string>>): readonly string[] {
  return Object.hasOwn(known, agent) ? [] : ['agent'];
}

function damaged(path: string, at: { line: number; col: number }, what: string): MamError {
  return new MamError('registry.damaged', `${path}:${at.line}:${at.col}: ${what}.`, {
    path,
    line: at.line,
    column: at.col,
  });
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
    adopted: false,
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
