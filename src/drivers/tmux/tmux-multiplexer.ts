import { MamError } from '../../domain/errors.ts';
import type {
  AdoptRequest,
  AttachOptions,
  Multiplexer,
  NewSessionRequest,
  NewTmuxSession,
  PaneIdentity,
  PanePlace,
  PasteRequest,
  PressRequest,
  ServerLook,
  TmuxVersion,
} from '../../ports/multiplexer.ts';
import {
  processRunner,
  runTmux,
  type TmuxClientOptions,
  type TmuxResult,
  type TmuxRunner,
} from './client.ts';
import {
  allOf,
  equals,
  isPane,
  isSession,
  isUnset,
  requirePaneId,
  requireSessionId,
  requireWord,
} from './guard.ts';
import { KEEPER } from './keeper.ts';
import { CAPTURES_PER_CALL, lookCommand, parseLook } from './look.ts';
import { duplicateName, GOING_AWAY, newSessionCommand, parseNewSession } from './new-session.ts';
import { assertOwnFolder, COLS, prepareServer, ROWS } from './server-config.ts';
import { pasteCommand, pressCommand, voidCommand } from './typing-commands.ts';
import { isTooOld, OLDEST_TMUX, parseTmuxVersion } from './version.ts';

const NO_SERVER =
  /no server running|error connecting|No such file|Connection refused|lost server|server exited/;
/** What `list-panes -a` says on a server that has no session (3.3a). */
const NO_SESSION = /no current target/;
/** Index of our hook among those of an event, a number that a person would not take. */
const FIT_HOOK = 140;

/** Ways to reach the server and what our commands to it look like. */
export class TmuxMultiplexer implements Multiplexer {
  readonly socket: string;
  readonly #options: TmuxClientOptions;
  readonly #runner: TmuxRunner;

  /** @param runner - What carries command lists that need no process of their own; default: one each. */
  constructor(options: TmuxClientOptions, runner: TmuxRunner = processRunner(options)) {
    this.socket = options.socket;
    this.#options = options;
    this.#runner = runner;
  }

  async newSession(request: NewSessionRequest): Promise<NewTmuxSession> {
    prepareServer(this.#options);
    using _inside = await this.#options.gate?.enter();
    // In a control client, the tags would go to the session that it is attached to.
    const first = await this.#runAlone(newSessionCommand(request));
    if (first.code === 0) return parseNewSession(first.stdout);
    // A client that died may have been heard all the same.
    const started = await this.#findLaunch(request.launchId);
    if (started) return started;
    const again = GOING_AWAY.test(first.stderr)
      ? await this.#runAlone(newSessionCommand(request))
      : first;
    if (again.code === 0) return parseNewSession(again.stdout);
    throw duplicateName(request, again.stderr) ?? failed('start a session', again);
  }

  async look(capture: readonly string[]): Promise<ServerLook> {
    let whole: ServerLook | undefined;
    for (let at = 0; at === 0 || at < capture.length; at += CAPTURES_PER_CALL) {
      const part = await this.#lookOnce(capture.slice(at, at + CAPTURES_PER_CALL));
      whole = whole ? mergeScreens(whole, part) : part;
      if (part.server === 'none') return part;
    }
    return whole ?? { server: 'none', reason: 'nothing asked' };
  }

  async capture(paneId: string, { historyLines }: { historyLines: number }) {
    const from = historyLines > 0 ? ` -S -${Math.floor(historyLines)}` : '';
    const command = `capture-pane -e -p -t ${requirePaneId(paneId)}${from}`;
    const result = await this.#run(['if-shell', '-F', '-t', paneId, isPane(paneId), command]);
    return result.code === 0 && result.stdout !== '' ? result.stdout : undefined;
  }

  async paste(request: PasteRequest): Promise<'done' | 'refused' | 'gone'> {
    return this.#type(pasteCommand(request), request.text);
  }

  async voidPaste(paneId: string, number: number): Promise<'pasted' | 'voided' | 'gone'> {
    const result = await this.#run(voidCommand(paneId, number));
    if (result.stdout.includes('VOIDED')) return 'voided';
    if (result.stdout.includes('PASTED')) return 'pasted';
    if (result.stdout.includes('GONE') || NO_SERVER.test(result.stderr)) return 'gone';
    throw failed('find out what was typed', result);
  }

  async press(request: PressRequest): Promise<'done' | 'refused' | 'gone'> {
    return this.#type(pressCommand(request));
  }

  async identify(paneId: string): Promise<PaneIdentity | undefined> {
    const format = '"#{@mam_agent} #{@mam_role} #{@mam_name}"';
    const tags = `display-message -p -t ${requirePaneId(paneId)} ${format}`;
    const result = await this.#run(['if-shell', '-F', '-t', paneId, isPane(paneId), tags]);
    const [agent, role, name] = result.stdout.trim().split(' ');
    return agent && role && name ? { agent, role, name } : undefined;
  }

  async adopt({ sessionId, ...tags }: AdoptRequest): Promise<boolean> {
    const target = requireSessionId(sessionId);
    const set = (option: string, value: string) =>
      ['', '-w ']
        .map((of) => `set-option ${of}-t ${target}: ${option} ${requireWord(value)}`)
        .join(' ; ');
    const all = [
      set('@mam_ws', tags.workspaceTag),
      set('@mam_session', tags.sessionTag),
      set('@mam_launch', tags.launchTag),
      'display-message -p DONE',
    ];
    const isFree = allOf(isSession(sessionId), isUnset('@mam_launch'));
    const list = ['if-shell', '-F', '-t', `${target}:`, isFree, all.join(' ; ')];
    const result = await this.#runAlone(list);
    return result.stdout.includes('DONE');
  }

  async killSession(sessionId: string, launchId: string): Promise<void> {
    using _inside = await this.#options.gate?.enter();
    const target = requireSessionId(sessionId);
    const guard = allOf(isSession(sessionId), equals('@mam_launch', launchId));
    const kill = `kill-session -t ${target}`;
    const result = await this.#run(['if-shell', '-F', '-t', `${target}:`, guard, kill]);
    if (result.code !== 0 && !NO_SERVER.test(result.stderr)) throw failed('end a session', result);
  }

  async endKeeper(): Promise<void> {
    using _inside = await this.#options.gate?.enter();
    const result = await this.#runAlone(['kill-session', '-t', `=${KEEPER}`]);
    const isGone = /can't find session/.test(result.stderr) || NO_SERVER.test(result.stderr);
    if (result.code !== 0 && !isGone) throw failed('end the keeper session', result);
  }

  async killServerIfEmpty(): Promise<'ended' | 'kept' | 'none'> {
    // `#{S:…}` expands once for each session; `server_sessions` is not known to tmux 3.3a. A keeper
    // without its monitor keeps nothing.
    const counted = `#{?#{==:#{session_name},${KEEPER}},#{?session_attached,1,},1}`;
    const keep = ['if-shell', '-F', `#{S:${counted}}`, 'display-message -p KEPT', 'kill-server'];
    const result = await this.#runAlone(keep);
    if (result.stdout.includes('KEPT')) return 'kept';
    return NO_SERVER.test(result.stderr) ? 'none' : 'ended';
  }

  attachCommand(sessionId: string, { readOnly, fit }: AttachOptions): readonly string[] {
    const { program, socket } = this.#options;
    // `-r` would also take the client's size out of account.
    const flags = readOnly ? (fit ? ['-f', 'read-only'] : ['-r']) : [];
    const target = ['-t', requireSessionId(sessionId)];
    return [program, '-u', '-S', socket, 'attach-session', ...flags, ...target];
  }

  switchCommand(sessionId: string): readonly string[] {
    const { program, socket } = this.#options;
    return [program, '-u', '-S', socket, 'switch-client', '-t', requireSessionId(sessionId)];
  }

  async fitWindow({ sessionId, paneId }: PanePlace): Promise<void> {
    const session = requireSessionId(sessionId);
    const pane = requirePaneId(paneId);
    const hook = `client-detached[${FIT_HOOK}]`;
    const back = `${ownSize(pane)} ; set-hook -u -t ${session} ${hook}`;
    // The server itself puts the size back: it also sees a terminal that was closed or a killed client.
    const guarded = `if-shell -F '#{==:#{session_attached},0}' '${back}'`;
    const result = await this.#run([
      ...['set-hook', '-t', session, hook, guarded, ';'],
      ...['set-option', '-w', '-t', pane, 'window-size', 'latest'],
    ]);
    if (result.code !== 0) throw failed('give a window the size of a terminal', result);
  }

  async version(): Promise<TmuxVersion> {
    const { stdout } = await runTmux({ ...this.#options }, ['-V']);
    const text = stdout.trim();
    return { text, path: this.#options.program };
  }

  /** @throws {MamError} `tmux.too-old`, `tmux.missing`. */
  async assertUsable(): Promise<void> {
    const { text } = await this.version();
    const number = parseTmuxVersion(text);
    if (number && isTooOld(number)) {
      throw new MamError(
        'tmux.too-old',
        `tmux is too old: found "${text}", need ${OLDEST_TMUX} or newer.`,
        { found: text },
        { hint: 'Install a newer tmux, or name one in tmux.path of .mam/config.yaml' },
      );
    }
  }

  async #type(command: readonly string[], input?: string): Promise<'done' | 'refused' | 'gone'> {
    // What is done once says so once: over a connection that is lost it would be asked again.
    const result = await this.#runAlone(command, input);
    if (result.stdout.includes('DONE')) return 'done';
    if (result.stdout.includes('REFUSED')) return 'refused';
    if (NO_SERVER.test(result.stderr)) return 'gone';
    throw failed('type', result);
  }

  async #lookOnce(capture: readonly string[]): Promise<ServerLook> {
    // A word that no screen shows: made anew for each look, so that none can learn it.
    const mark = `mam-${randomWord()}${randomWord()}`;
    const result = await this.#run(lookCommand(mark, capture));
    if (result.code === 0) return parseLook(mark, result.stdout);
    if (NO_SERVER.test(result.stderr)) return { server: 'none', reason: result.stderr.trim() };
    if (NO_SESSION.test(result.stderr)) return { server: 'up', pid: undefined, panes: [] };
    throw failed('list panes', result);
  }

  async #findLaunch(launchId: string): Promise<NewTmuxSession | undefined> {
    const look = await this.#lookOnce([]);
    if (look.server === 'none') return undefined;
    const pane = look.panes.find(({ launchTag }) => launchTag === launchId);
    return pane && { ...pane, serverPid: look.pid ?? 0 };
  }

  #run(args: readonly string[]): Promise<TmuxResult> {
    assertOwnFolder(this.socket);
    return this.#runner.run(args);
  }

  #runAlone(args: readonly string[], input?: string): Promise<TmuxResult> {
    assertOwnFolder(this.socket);
    return runTmux(this.#options, args, input);
  }
}

/** Our own size again, and kept whatever a client has. */
function ownSize(paneId: string): string {
  const manual = `set-option -w -t ${paneId} window-size manual`;
  return `${manual} ; resize-window -t ${paneId} -x ${COLS} -y ${ROWS}`;
}

function mergeScreens(whole: ServerLook, part: ServerLook): ServerLook {
  if (whole.server === 'none' || part.server === 'none') return part;
  // A screen is read together with its own cursor, so the pane comes from the part that captured it.
  const later = new Map(part.panes.map((pane) => [pane.paneId, pane]));
  const panes = whole.panes.map((pane) => {
    const seen = later.get(pane.paneId);
    return seen?.captured === undefined ? pane : seen;
  });
  return { ...whole, panes };
}

function failed(what: string, result: TmuxResult): MamError {
  const said = (result.stderr || result.stdout).trim().slice(0, 500);
  return new MamError('tmux.failed', `tmux could not ${what}: ${said || `status ${result.code}`}.`);
}

function randomWord(): string {
  return Math.floor(Math.random() * 2 ** 36)
    .toString(16)
    .padStart(9, '0');
}
