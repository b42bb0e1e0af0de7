import { MamError } from '../../domain/errors.ts';
import type { PaneLook, ServerLook } from '../../ports/multiplexer.ts';
import { isPane, requirePaneId } from './guard.ts';
import { KEEPER } from './keeper.ts';

/**
 * tmux's messages end at 16 KiB; 60 guarded captures stay below 9 KiB.
 *
 * @see tmux, imsg MAX_IMSGSIZE ("command too long" beyond it)
 */
export const CAPTURES_PER_CALL = 60;

/**
 * Words first, the one free text last: blanks as separators pass every tmux version unchanged. What is
 * not set is an empty word; a condition in its place would cost the server a fifth of its time.
 */
const PANE_FORMAT = [
  '#{pane_id}',
  '#{session_id}',
  '#{pane_pid}',
  '#{pane_index}',
  '#{pane_dead}',
  '#{pane_width}',
  '#{pane_height}',
  '#{cursor_x}',
  '#{cursor_y}',
  '#{@mam_seq}',
  '#{@mam_enter}',
  '#{@mam_ws}',
  '#{@mam_session}',
  '#{@mam_launch}',
  '#{pane_mode}',
  '#{pane_title}',
].join(' ');
const WORDS = 15;

/**
 * The command list of a look. Every line of ours begins with `mark`, a word that no screen can guess.
 */
export function lookCommand(mark: string, capture: readonly string[]): string[] {
  const captures = capture.flatMap((paneId) => {
    // Inside the branch: a pane that is gone must not end the rest of the list.
    // Without its `%`: display-message gives its text to strftime(3), which eats `%3` (seen).
    const announce = `display-message -p "${mark} capture ${requirePaneId(paneId).slice(1)}"`;
    const take = `${announce} ; capture-pane -e -p -t ${paneId}`;
    return [';', 'if-shell', '-F', '-t', paneId, isPane(paneId), take];
  });
  return [
    ...['list-sessions', '-F', `${mark} session #{session_id} #{pid} #{session_name}`],
    ...[';', 'list-panes', '-a', '-F', `${mark} pane ${PANE_FORMAT}`],
    ...captures,
  ];
}

/**
 * Parses the answer to `lookCommand`.
 *
 * @throws {MamError} `tmux.failed` for a line it does not know: never "no sessions".
 */
export function parseLook(mark: string, stdout: string): ServerLook {
  const parts: Parts = { pid: undefined, names: new Map(), panes: [], screens: new Map() };
  let screen: string[] | undefined;
  for (const line of stdout.split('\n')) {
    if (!line.startsWith(`${mark} `)) {
      screen?.push(line);
      if (!screen && line !== '') throw unreadable(line);
      continue;
    }
    screen = takeLine(line.slice(mark.length + 1), parts);
  }
  const panes = onceEach(parts.panes).map((pane) => complete(pane, parts));
  const visible = panes.filter(({ sessionName }) => sessionName !== KEEPER);
  return { server: 'up', pid: parts.pid, panes: visible };
}

/** A grouped session shows the panes of another: tags are options of the session that was made with them. */
function onceEach(panes: readonly Parts['panes'][number][]): readonly Parts['panes'][number][] {
  const byId = new Map<string, Parts['panes'][number]>();
  for (const pane of panes) {
    const known = byId.get(pane.paneId);
    if (!known || (known.launchTag === '' && pane.launchTag !== '')) byId.set(pane.paneId, pane);
  }
  return [...byId.values()];
}

interface Parts {
  pid: number | undefined;
  readonly names: Map<string, string>;
  readonly panes: Omit<PaneLook, 'sessionName'>[];
  readonly screens: Map<string, string[]>;
}

/** @returns The list that takes the lines that follow, when they are a screen. */
function takeLine(line: string, parts: Parts): string[] | undefined {
  const [kind, first = '', second = ''] = line.split(' ', 3);
  const rest = line.slice(`${kind} `.length);
  if (kind === 'session') {
    parts.pid = requireNumber(second, line);
    parts.names.set(first, rest.slice(`${first} ${second} `.length));
  } else if (kind === 'pane') parts.panes.push(parsePane(rest));
  else if (kind === 'capture') {
    const rows: string[] = [];
    parts.screens.set(`%${first}`, rows);
    return rows;
  } else throw unreadable(line);
  return undefined;
}

function parsePane(line: string): Omit<PaneLook, 'sessionName'> {
  const words = line.split(' ');
  if (words.length < WORDS) throw unreadable(line);
  const word = (index: number) => words[index] ?? '';
  const number = (index: number) => requireNumber(word(index), line);
  // Whatever stands there was not written by us: then anything may have been given already.
  const mark = (index: number) =>
    /^\d*$/.test(word(index)) ? Number(word(index)) : Number.MAX_SAFE_INTEGER;
  return {
    paneId: /^%\d+$/.test(word(0)) ? word(0) : raise(unreadable(line)),
    sessionId: word(1),
    panePid: number(2),
    paneIndex: number(3),
    dead: word(4) === '1',
    cols: number(5),
    rows: number(6),
    cursor: { x: number(7), y: number(8) },
    pasted: mark(9),
    pressed: mark(10),
    workspaceTag: word(11),
    sessionTag: word(12),
    launchTag: word(13),
    mode: word(14) || undefined,
    title: words.slice(WORDS).join(' '),
  };
}

function complete(pane: Omit<PaneLook, 'sessionName'>, parts: Parts): PaneLook {
  const rows = parts.screens.get(pane.paneId);
  return {
    ...pane,
    sessionName: parts.names.get(pane.sessionId) ?? '',
    ...(rows ? { captured: rows.join('\n') } : {}),
  };
}

function requireNumber(word: string, line: string): number {
  if (!/^\d+$/.test(word)) throw unreadable(line);
  return Number(word);
}

function raise(error: MamError): never {
  throw error;
}

function unreadable(line: string): MamError {
  return new MamError('tmux.failed', `Could not read tmux's answer: ${JSON.stringify(line)}.`);
}
