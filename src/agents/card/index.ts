import type {
  AgentAdapter,
  CapabilityCard,
  LaunchRequest,
  Probe,
} from '../../ports/agent-adapter.ts';
import type { AgentCard } from '../../protocol/agent-card.ts';
import { judgePrintedVersion } from '../shared/version.ts';
import { pattern } from './patterns.ts';
import { ruleOf, screenReader } from './screen.ts';
import { storeOf } from './store.ts';
import { typingOf } from './typing.ts';

const ENTER_DELAY_MS = 600;
const EVIDENCE_TIMEOUT_MS = 8_000;
const INLINE_LIMIT_BYTES = 65_536;
const PROBE_TIMEOUT_MS = 15_000;
const DIALOG_SETTLE_MS = 300;

/** An adapter made of a card alone. @param kind - The name of its file. */
export function cardAgent(kind: string, card: AgentCard): AgentAdapter {
  return {
    kind,
    card: capabilitiesOf(kind, card),
    planLaunch: (request) => planLaunch(card, request),
    readScreen: screenReader(card),
    readHook: () => undefined,
    ...typingOf(card),
    store: storeOf(card),
    preflight: () => probesOf(card),
  };
}

function capabilitiesOf(kind: string, card: AgentCard): CapabilityCard {
  const { typing = {}, processes = {}, env = {} } = card;
  return {
    binaries: card.binaries,
    conversationId: card.conversation.id,
    conversationIdKey: conversationKey(kind),
    hookIdentity: 'path',
    readyHook: false,
    takesMcpFiles: false,
    inlineLimitBytes: typing.inline_limit_bytes ?? INLINE_LIMIT_BYTES,
    enterDelayMs: typing.enter_delay_ms ?? ENTER_DELAY_MS,
    evidenceTimeoutMs: typing.evidence_timeout_ms ?? EVIDENCE_TIMEOUT_MS,
    composer: 'readable',
    quit: { text: card.quit },
    termTarget: processes.term ?? 'agent',
    envPass: env.pass ?? [],
    envMarkers: env.own ?? [],
    sharedDaemons: processes.shared_daemons ?? [],
    dialogSettleMs: DIALOG_SETTLE_MS,
    limitGraceMs: 0,
    dialogs: (card.screen.dialogs ?? []).map(ruleOf),
  };
}

/** Under which its conversation stands in the YAML face. */
export function conversationKey(kind: string): string {
  return `${kind}_conversation_id_own`;
}

function planLaunch({ launch }: AgentCard, request: LaunchRequest) {
  const { conversation, model, permissions, extraArgs, binary } = request;
  const values: Readonly<Record<string, string>> = {
    ...{ id: conversation.id, cwd: request.cwd, launch: request.launchDir },
    ...(model === undefined ? {} : { model }),
  };
  const filled = (words: readonly string[] = []) =>
    words.map((word) => word.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole));
  return {
    argv: [
      binary,
      ...filled(launch.args),
      ...filled(launch[permissions]),
      ...(model === undefined ? [] : filled(launch.model)),
      ...extraArgs,
      ...filled(conversation.kind === 'resume' ? launch.resume : launch.new),
    ],
    files: [],
    env: Object.fromEntries(
      Object.entries(launch.env ?? {}).map(([name, value]) => [name, filled([value]).join('')]),
    ),
  };
}

function probesOf({ version, login }: AgentCard): readonly Probe[] {
  const probes: Probe[] = [];
  if (login) {
    probes.push({
      id: 'auth',
      args: login.args,
      timeoutMs: PROBE_TIMEOUT_MS,
      level: login.level ?? 'full',
      judge({ stdout, stderr }) {
        const isOut = pattern(login.logged_out).test(`${stdout}\n${stderr}`);
        if (!isOut) return { ok: true, found: 'logged in' };
        const found = 'nobody is logged in';
        return { ok: false, code: 'agent.logged-out', found, needed: 'a login', fix: login.fix };
      },
    });
  }
  if (version) {
    probes.push({
      id: 'version',
      args: version.args,
      timeoutMs: PROBE_TIMEOUT_MS,
      level: version.level ?? 'full',
      judge: ({ stdout }) => judgePrintedVersion(stdout, version),
    });
  }
  return probes;
}
