import { randomUUID } from 'node:crypto';
import { ulid } from '../../src/base/ulid.ts';
import type { Session } from '../../src/domain/session.ts';

/** A valid session that runs nowhere. */
export function exampleSession(name: string, change: Partial<Session> = {}): Session {
  return {
    id: `ses_${ulid(Date.now())}`,
    name,
    agent: 'demo',
    role: 'creator',
    status: 'running',
    resumable: true,
    cwd: '/tmp',
    workspaceRoot: '/tmp',
    permissions: 'ask',
    model: null,
    startCommand: ['demo'],
    extraArgs: [],
    envNames: [],
    mcpAttachments: [],
    adopted: false,
    launch: ulid(Date.now()),
    tmux: null,
    agentProcess: null,
    pane: null,
    conversationId: randomUUID(),
    storeFolder: null,
    prompted: false,
    conversationHistory: [],
    parent: null,
    createdAt: '2026-11-30T12:00:00.000Z',
    stoppedAt: null,
    ended: null,
    lastScreen: null,
    host: '00000000',
    boot: 'boot',
    pidNamespace: 'pid:[1]',
    ...change,
  };
}
