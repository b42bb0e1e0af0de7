import type { SessionView } from '../app/mam.ts';
import { type SessionJson, sessionJson } from '../protocol/session-json.ts';

/** `session` of docs/cli.md, from a look at it. */
export function viewJson(view: SessionView): SessionJson {
  return sessionJson(view.session, {
    activity: view.activity,
    hooks: view.hooks,
    depth: view.depth,
    tmuxMode: view.pane?.mode ?? null,
    agentStarted: view.agentStartedAt?.toISOString() ?? null,
  });
}
