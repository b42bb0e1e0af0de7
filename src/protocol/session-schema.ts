import * as z from 'zod/mini';
import { MamError } from '../domain/errors.ts';
import type { Session } from '../domain/session.ts';

const processIdentity = z.object({ pid: z.int().check(z.positive()), startTicks: z.string() });
const text = z.string().check(z.minLength(1));
const time = z.iso.datetime();

/** What a session must be before it is stored. */
export const sessionSchema = z.strictObject({
  id: text,
  name: text,
  agent: text,
  role: text,
  status: z.enum(['running', 'stopped', 'terminated']),
  resumable: z.boolean(),
  cwd: z.string().check(z.startsWith('/')),
  workspaceRoot: z.string().check(z.startsWith('/')),
  permissions: z.enum(['skip', 'ask']),
  model: z.nullable(text),
  startCommand: z.array(z.string()),
  extraArgs: z.array(z.string()),
  envNames: z.array(text),
  mcpAttachments: z.array(text),
  adopted: z.boolean(),
  launch: text,
  tmux: z.nullable(
    z.strictObject({ socket: text, sessionId: text, paneId: text, sessionName: z.string() }),
  ),
  agentProcess: z.nullable(processIdentity),
  pane: z.nullable(
    z.strictObject({
      index: z.int(),
      pid: z.int(),
      pidStartTicks: z.string(),
      pidStartedAt: time,
      cmdFull: z.string(),
      children: z.array(
        z.strictObject({ ...processIdentity.shape, startedAt: time, cmd: z.string() }),
      ),
    }),
  ),
  conversationId: z.nullable(text),
  // Rows of earlier versions have none.
  storeFolder: z.optional(z.nullable(text)),
  prompted: z.boolean(),
  conversationHistory: z.array(text),
  parent: z.nullable(text),
  createdAt: time,
  stoppedAt: z.nullable(time),
  ended: z.nullable(
    z.strictObject({
      reason: z.string(),
      exitCode: z.nullable(z.int()),
      at: time,
      by: z.enum(['user', 'monitor', 'policy']),
    }),
  ),
  lastScreen: z.nullable(z.string()),
  host: text,
  boot: text,
  pidNamespace: text,
});

/** @throws {MamError} `internal.bug`: a record made by our own code was not what it must be. */
export function checkSession(session: Session): void {
  const result = sessionSchema.safeParse(session);
  if (result.success) return;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new MamError(
    'internal.bug',
    `Session "${session.name}" is not valid: ${issues.join('; ')}.`,
  );
}
