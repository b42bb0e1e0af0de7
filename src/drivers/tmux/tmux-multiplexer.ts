import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MamError } from '../../domain/errors.ts';
import type {
  Multiplexer,
  NewSessionRequest,
  NewTmuxSession,
  PasteRequest,
  PressRequest,
  ServerLook,
  TmuxVersion,
} from '../../ports/multiplexer.ts';
import { runTmux, type TmuxClientOptions, type TmuxResult } from './client.ts';
import {
  allOf,
  equals,
  isPane,
  isSession,
  lessThan,
  requirePaneId,
  requireSessionId,
  requireWord,
} from './guard.ts';
import { CAPTURES_PER_CALL, lookCommand, parseLook } from './look.ts';
import { OLDEST_TMUX, parseTmuxVersion } from './version.ts';

export const COLS = 140;
export const ROWS = 40;

/**
 * Our server's options. `window-size manual` is set per window, never here: globally it ends tmux
 * 3.3a. `exit-empty off`: a `new-session` right after the last session ended could fail otherwise.
 */
const CONFIG = `# Written by mam at each start of its tmux server; edits are lost.
set -s exit-empty off
set -s escape-time 0
set -s set-clipboard off
set -g update-environment ''
set -g default-shell /bin/sh
set -g default-command ''
set -g default-terminal tmux-256color
set -g history-limit 20000
set -g remain-on-exit off
set -g destroy-unattached off
set -g detach-on-destroy on
set -g base-index 0
set -g pane-base-index 0
set -g renumber-windows off
set -g automatic-rename off
set -g allow-rename off
set -g status off
set -g mouse on
`;

/** `new-session` is tried a second time after these: the server was just going away. */
const GOING_AWAY = /server exited unexpectedly|lost server/;
const NO_SERVER =
  /no server running|error connecting|No such file|Connection refused|lost server|server exited/;
/** What `list-panes -a` says on a server that has no session (3.3a). */
const NO_SESSION = /no current target/;

/** Ways to reach the server and what our commands to it look like. */
export class TmuxMultiplexer implements Multiplexer {
  readonly socket: string;
  readonly #options: TmuxClientOptions;

  constructor(options: TmuxClientOptions) {
    this.socket = options.socket;
    this.#options = options;
  }

  async newSession(request: NewSessionRequest): Promise<NewTmuxSession> {
    this.#writeConfig();
    const first = await this.#run(newSessionCommand(request));
    if (first.code === 0) return parseNewSession(first.stdout);
    if (!GOING_AWAY.test(first.stderr)) throw failed('start a session', first);
    const started = await this.#findLaunch(request.launchId);
    if (started) return started;
    const second = await this.#run(newSessionCommand(request));
    if (second.code !== 0) throw failed('start a session', second);
    return parseNewSession(second.stdout);
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

  async paste({ paneId, launchId, number, text, bracketed }: PasteRequest) {
    const buffer = requireWord(`mam-${launchId}-${number}`);
    const guard = allOf(
      isPane(paneId),
      equals('pane_dead', 0),
      equals('pane_in_mode', 0),
      lessThan('@mam_seq', number),
    );
    const how = bracketed ? '-p -r -d' : '-r -d';
    const paste = `paste-buffer ${how} -b ${buffer} -t ${paneId}`;
    const mark = `set-option -p -t ${paneId} @mam_seq ${number}`;
    return this.#guarded(
      ['load-buffer', '-b', buffer, '-', ';'],
      paneId,
      guard,
      `${paste} ; ${mark} ; display-message -p DONE`,
      `delete-buffer -b ${buffer} ; display-message -p REFUSED`,
      text,
    );
  }

  async voidPaste(paneId: string, number: number): Promise<'pasted' | 'voided' | 'gone'> {
    const target = requirePaneId(paneId);
    const set = (option: string) => `set-option -p -t ${target} ${option} ${number}`;
    const voidIt = `${set('@mam_seq')} ; ${set('@mam_void')} ; display-message -p VOIDED`;
    const known = `#{?${equals('@mam_void', number)},VOIDED,PASTED}`;
    // display-message gives its text to strftime(3) first: a pane id's `%` is doubled.
    const format = `#{?${isPane(paneId)},${known},GONE}`.replaceAll('%', '%%');
    const answer = `display-message -p -t ${target} "${format}"`;
    const guard = allOf(isPane(paneId), lessThan('@mam_seq', number));
    const result = await this.#run(['if-shell', '-F', '-t', target, guard, voidIt, answer]);
    if (result.stdout.includes('VOIDED')) return 'voided';
    return result.stdout.includes('PASTED') ? 'pasted' : 'gone';
  }

  async press({ paneId, key, mark, cursor }: PressRequest) {
    const guard = allOf(
      isPane(paneId),
      equals('pane_dead', 0),
      equals('pane_in_mode', 0),
      equals('cursor_x', cursor.x),
      equals('cursor_y', cursor.y),
      lessThan('@mam_enter', mark),
    );
    const press = `send-keys -t ${paneId} ${requireWord(key)}`;
    const done = `set-option -p -t ${paneId} @mam_enter ${mark} ; display-message -p DONE`;
    return this.#guarded([], paneId, guard, `${press} ; ${done}`, 'display-message -p REFUSED');
  }

  async killSession(sessionId: string, launchId: string): Promise<void> {
    const target = requireSessionId(sessionId);
    const guard = allOf(isSession(sessionId), equals('@mam_launch', launchId));
    const kill = `kill-session -t ${target}`;
    const result = await this.#run(['if-shell', '-F', '-t', `${target}:`, guard, kill]);
    if (result.code !== 0 && !NO_SERVER.test(result.stderr)) throw failed('end a session', result);
  }

  async killServerIfEmpty(): Promise<boolean> {
    // `#{S:…}` expands once for each session; `server_sessions` is not known to tmux 3.3a.
    const keep = ['if-shell', '-F', '#{S:1}', 'display-message -p KEPT', 'kill-server'];
    const result = await this.#run(keep);
    return !result.stdout.includes('KEPT');
  }

  attachCommand(sessionId: string, { readOnly }: { readOnly: boolean }): readonly string[] {
    const { program, socket } = this.#options;
    const target = ['-t', requireSessionId(sessionId)];
    return [program, '-u', '-S', socket, 'attach-session', ...(readOnly ? ['-r'] : []), ...target];
  }

  switchCommand(sessionId: string): readonly string[] {
    const { program, socket } = this.#options;
    return [program, '-u', '-S', socket, 'switch-client', '-t', requireSessionId(sessionId)];
  }

  async setWindowSize(paneId: string, size: { cols: number; rows: number } | 'client') {
    const target = requirePaneId(paneId);
    const commands =
      size === 'client'
        ? ['set-option', '-w', '-t', target, 'window-size', 'latest']
        : [
            ...['set-option', '-w', '-t', target, 'window-size', 'manual', ';'],
            ...['resize-window', '-t', target, '-x', String(size.cols), '-y', String(size.rows)],
          ];
    const result = await this.#run(commands);
    if (result.code !== 0) throw failed('set a window size', result);
  }

  async version(): Promise<TmuxVersion> {
    const { stdout } = await runTmux({ ...this.#options }, ['-V']);
    const text = stdout.trim();
    return { text, number: parseTmuxVersion(text), path: this.#options.program };
  }

  /** @throws {MamError} `tmux.too-old`, `tmux.missing`. */
  async assertUsable(): Promise<void> {
    const { text, number } = await this.version();
    if (number !== undefined && number < OLDEST_TMUX) {
      throw new MamError(
        'tmux.too-old',
        `tmux is too old: found "${text}", need ${OLDEST_TMUX} or newer.`,
        { found: text },
      );
    }
  }

  async #guarded(
    before: readonly string[],
    paneId: string,
    guard: string,
    then: string,
    otherwise: string,
    input?: string,
  ): Promise<'done' | 'refused' | 'gone'> {
    const command = ['if-shell', '-F', '-t', requirePaneId(paneId), guard, then, otherwise];
    const result = await this.#run([...before, ...command], input);
    if (result.stdout.includes('DONE')) return 'done';
    if (result.stdout.includes('REFUSED')) return 'refused';
    if (NO_SERVER.test(result.stderr)) return 'gone';
    throw failed('type', result);
  }

  async #lookOnce(capture: readonly string[]): Promise<ServerLook> {
    const mark = `mam-${randomBytes(9).toString('hex')}`;
    const result = await this.#run(lookCommand(mark, capture));
    if (result.code === 0) return parseLook(mark, result.stdout);
    if (NO_SERVER.test(result.stderr)) return { server: 'none', reason: result.stderr.trim() };
    if (NO_SESSION.test(result.stderr)) return { server: 'up', pid: undefined, panes: [] };
    throw failed('list panes', result);
  }

  async #findLaunch(launchId: string): Promise<NewTmuxSession | undefined> {
    const look = await this.#lookOnce([]);
    if (look.server === 'none') return undefined;
    const pane = look.panes.find((candidate) => candidate.launchTag === launchId);
    return pane && { ...pane, serverPid: look.pid ?? 0 };
  }

  #writeConfig(): void {
    const { configFile, socket } = this.#options;
    for (const file of [configFile, socket])
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(configFile, CONFIG, { mode: 0o600 });
  }

  #run(args: readonly string[], input?: string): Promise<TmuxResult> {
    return runTmux(this.#options, args, input);
  }
}

function newSessionCommand(request: NewSessionRequest): string[] {
  const format = '#{session_id} #{pane_id} #{pane_pid} #{pid} #{session_name}';
  const set = (name: string, value: string) => [';', 'set-option', name, requireWord(value)];
  return [
    ...['new-session', '-d', '-x', String(COLS), '-y', String(ROWS), '-s', request.name],
    ...['-P', '-F', format, '--', ...request.argv],
    ...[';', 'set-option', '-w', 'window-size', 'manual'],
    ...set('@mam_ws', request.workspaceId),
    ...set('@mam_session', request.sessionId),
    ...set('@mam_launch', request.launchId),
  ];
}

function parseNewSession(stdout: string): NewTmuxSession {
  const [sessionId = '', paneId = '', panePid, serverPid, ...name] = stdout.trimEnd().split(' ');
  return {
    sessionId: requireSessionId(sessionId),
    paneId: requirePaneId(paneId),
    panePid: Number(panePid),
    serverPid: Number(serverPid),
    sessionName: name.join(' '),
  };
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
