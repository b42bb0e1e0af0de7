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
 * What tmux itself says, in words: blanks as separators pass every tmux version unchanged. What is not so
 * is an empty word; a condition in its place would cost the server a fifth of its time.
 */
const OWN_WORDS = [
  '#{pane_id}',
  '#{session_id}',
  '#{pane_pid}',
  '#{pane_index}',
  '#{pane_dead}',
  '#{pane_width}',
  '#{pane_height}',
  '#{cursor_x}',
  '#{cursor_y}',
  '#{window_activity}',
  '#{pane_mode}',
].join(' ');

/** Texts that anybody may set, blanks and line breaks included: each stands behind a mark of ours. */
const TEXTS = [
  '#{@mam_seq}',
  '#{@mam_enter}',
  '#{@mam_ws}',
  '#{@mam_session}',
  '#{@mam_launch}',
  '#{pane_title}',
];

/**
 * The command list of a look. Every record of ours begins with `mark`, a word that no screen can guess.
 */
export function lookCommand(mark: string, capture: readonly string[]): string[] {
  const captures = capture.flatMap((paneId) => {
    // Inside the branch: a pane that is gone must not end the rest of the list.
    // Without its `%`: display-message gives its text to strftime(3), which eats `%3` (seen).
    const announce = `display-message -p "${mark} capture ${requirePaneId(paneId).slice(1)}"`;
    const take = `${announce} ; capture-pane -e -p -t ${paneId}`;
    return [';', 'if-shell', '-F', '-t', paneId, isPane(paneId), take];
  });
  const paneFormat = [OWN_WORDS, ...TEXTS].join(` ${mark} `);
  return [
    ...['list-sessions', '-F', `${mark} session #{session_id} #{pid} #{session_name}`],
    ...[';', 'list-panes', '-a', '-F', `${mark} pane ${paneFormat}`],
    ...captures,
  ];
}

/**
 * Parses the answer to `lookCommand`.
 *
 * @throws {MamError} `tmux.failed` for a record it does not know: never "no sessions".
 */
export function parseLook(mark: string, stdout: string): ServerLook {
  const parts: Parts = { pid: undefined, names: new Map(), panes: [], screens: new Map() };
  for (const record of recordsOf(mark, stdout)) takeRecord(mark, record, parts);
  const panes = onceEach(parts.panes).map((pane) => complete(pane, parts));
  const visible = panes.filter(({ sessionName }) => sessionName !== KEEPER);
  return { server: 'up', pid: parts.pid, panes: visible };
}

/** Lines, the first of which had our mark: those that follow are a screen, or the rest of a text. */
type Lines = [first: string, ...rest: string[]];

function recordsOf(mark: string, stdout: string): readonly Lines[] {
  const records: Lines[] = [];
  for (const line of stdout.split('\n')) {
    if (line.startsWith(`${mark} `)) records.push([line.slice(mark.length + 1)]);
    else if (records.length > 0) records.at(-1)?.push(line);
    else if (line !== '') throw unreadable(line);
  }
  return records;
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
  readonly screens: Map<string, readonly string[]>;
}

function takeRecord(mark: string, lines: Lines, parts: Parts): void {
  const [head, ...rows] = lines;
  const [kind, first = '', second = ''] = head.split(' ', 3);
  if (kind === 'capture') {
    parts.screens.set(`%${first}`, rows);
    return;
  }
  const record = lines.join('\n').replace(/\n$/, '').slice(`${kind} `.length);
  if (kind === 'session') {
    parts.pid = requireNumber(second, record);
    parts.names.set(first, record.slice(`${first} ${second} `.length));
  } else if (kind === 'pane') parts.panes.push(parsePane(mark, record));
  else throw unreadable(head);
}

function parsePane(mark: string, record: string): Omit<PaneLook, 'sessionName'> {
  const [own = '', ...texts] = record.split(` ${mark} `);
  const [pasted, pressed, workspaceTag, sessionTag, launchTag, title] = texts;
  const words = own.split(' ');
  const isWhole = words.length === OWN_WORDS.split(' ').length && texts.length === TEXTS.length;
  if (!isWhole) throw unreadable(record);
  const word = (index: number) => words[index] ?? '';
  const number = (index: number) => requireNumber(word(index), record);
  return {
    paneId: /^%\d+$/.test(word(0)) ? word(0) : raise(unreadable(record)),
    sessionId: word(1),
    panePid: number(2),
    paneIndex: number(3),
    dead: word(4) === '1',
    cols: number(5),
    rows: number(6),
    cursor: { x: number(7), y: number(8) },
    outputAtMs: number(9) * 1000,
    mode: word(10) || undefined,
    pasted: markOf(pasted),
    pressed: markOf(pressed),
    workspaceTag: workspaceTag ?? '',
    sessionTag: sessionTag ?? '',
    launchTag: launchTag ?? '',
    title: title ?? '',
  };
}

/** Whatever stands there was not written by us: then anything may have been given already. */
function markOf(text = ''): number {
  return /^\d*$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
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
