import type { PasteRequest, PressRequest } from '../../ports/multiplexer.ts';
import { allOf, equals, isPane, lessThan, requirePaneId, requireWord } from './guard.ts';

/**
 * What types into a pane, as one command list each, behind a guard that tmux itself evaluates. The answer
 * is a word: `DONE` or `REFUSED`.
 */
export function pasteCommand(request: PasteRequest): readonly string[] {
  const { paneId, launchId, number, bracketed, cursor } = request;
  const buffer = requireWord(`mam-${launchId}-${number}`);
  const guard = allOf(
    isPane(paneId),
    // Ids of panes begin again with each server: the tag says whose pane it is.
    equals('@mam_launch', launchId),
    equals('pane_dead', 0),
    equals('pane_in_mode', 0),
    lessThan('@mam_seq', number),
    ...(cursor ? [equals('cursor_x', cursor.x), equals('cursor_y', cursor.y)] : []),
  );
  const how = bracketed ? '-p -r -d' : '-r -d';
  const paste = `paste-buffer ${how} -b ${buffer} -t ${paneId}`;
  const mark = `set-option -p -t ${paneId} @mam_seq ${number}`;
  return [
    ...['load-buffer', '-b', buffer, '-', ';'],
    ...['if-shell', '-F', '-t', requirePaneId(paneId), guard],
    `${paste} ; ${mark} ; display-message -p DONE`,
    `delete-buffer -b ${buffer} ; display-message -p REFUSED`,
  ];
}

export function pressCommand(request: PressRequest): readonly string[] {
  const { paneId, launchId, key, mark, cursor } = request;
  const guard = allOf(
    isPane(paneId),
    equals('@mam_launch', launchId),
    equals('pane_dead', 0),
    equals('pane_in_mode', 0),
    equals('cursor_x', cursor.x),
    equals('cursor_y', cursor.y),
    lessThan('@mam_enter', mark),
  );
  const press = `send-keys -t ${paneId} ${requireWord(key)}`;
  const done = `set-option -p -t ${paneId} @mam_enter ${mark} ; display-message -p DONE`;
  return [
    ...['if-shell', '-F', '-t', requirePaneId(paneId), guard],
    `${press} ; ${done}`,
    'display-message -p REFUSED',
  ];
}

/** The answer is `VOIDED`, `PASTED` or `GONE`. */
export function voidCommand(paneId: string, number: number): readonly string[] {
  const target = requirePaneId(paneId);
  const set = (option: string) => `set-option -p -t ${target} ${option} ${number}`;
  const voidIt = `${set('@mam_seq')} ; ${set('@mam_void')} ; display-message -p VOIDED`;
  const say = (word: string) => `"display-message -p ${word}"`;
  const choose = (condition: string, then: string, otherwise: string) =>
    `if-shell -F -t ${target} "${condition}" ${then} ${otherwise}`;
  // Not by a format of display-message: strftime(3) takes the `%` of a pane's id, once at each depth.
  const known = choose(equals('@mam_void', number), say('VOIDED'), say('PASTED'));
  const answer = choose(isPane(paneId), `'${known}'`, say('GONE'));
  const guard = allOf(isPane(paneId), lessThan('@mam_seq', number));
  return ['if-shell', '-F', '-t', target, guard, voidIt, answer];
}
