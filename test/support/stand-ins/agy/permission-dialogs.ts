import { wrapText } from '../../../../src/demo-agent/wrap.ts';
import type { Dialog } from './dialog.ts';
import { clip, fullRule } from './layout.ts';
import type { Wording } from './wording.ts';

const NUMBERED = { numbered: true, marked: 0, digits: true, footer: 'cancel' } as const;
/** A longer command is cut. */
const COMMAND_ROWS = 5;

export function commandDialog(command: string, wording: Wording): Dialog {
  return {
    ...NUMBERED,
    id: 'command',
    heading: (cols) => [
      ...['Command', fullRule(cols), ''],
      ...commandRows(command, cols, wording),
      ...['', wording.commandQuestion],
    ],
    options: wording.commandOptions(command),
    hint: wording.commandHint,
  };
}

function commandRows(command: string, cols: number, { commandOnOneRow }: Wording): string[] {
  const words = '  Requesting permission for:';
  if (commandOnOneRow) return [clip(`${words} ${command}`, cols)];
  const rows = wrapText(command, cols - 3);
  const shown = rows.length > COMMAND_ROWS ? [...rows.slice(0, COMMAND_ROWS - 1), '…'] : rows;
  return [words, ...shown.map((row) => `   ${row}`)];
}

/** Of a file in the workspace, or outside of it: then there is one option more. */
export function fileDialog(
  path: string,
  content: string,
  { isNew, isOutside }: { readonly isNew: boolean; readonly isOutside: boolean },
): Dialog {
  const lines = content.split('\n');
  const always = isOutside ? ['Yes, and always allow non-workspace access'] : [];
  return {
    ...NUMBERED,
    id: 'file',
    heading: (cols) => [
      ...[isNew ? 'Create file' : 'Edit file', fullRule(cols)],
      [...`${path} +${lines.length} -0`].slice(0, cols).join(''),
      ...lines.map((line, i) => clip(`${String(i + 1).padStart(4)} +  ${line}`, cols)),
      ...(isOutside ? ['Reason: outside workspace'] : []),
      ...['', 'Allow creation of this file?'],
    ],
    options: ['Yes, allow creation', ...always, 'No, deny creation'],
    hint: '  ↑/↓ Navigate · tab Amend · f full diff',
  };
}

export function accessDialog(path: string): Dialog {
  return {
    ...NUMBERED,
    id: 'access',
    heading: (cols) => [
      ...['File access', fullRule(cols), clip(`Read: ${path}`, cols)],
      ...['Reason: outside workspace', '', 'Allow access to this file?'],
    ],
    options: ['Yes, allow access', 'Yes, and always allow non-workspace access', 'No, deny access'],
    hint: '  ↑/↓ Navigate',
  };
}
