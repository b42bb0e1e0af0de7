import type { AgyVersion } from './version.ts';

/** What differs between the versions on the screen, in one place. */
export interface Wording {
  readonly commandQuestion: string;
  commandOptions(command: string): readonly string[];
  readonly commandHint: string;
  /** The command stands on the row of the words before it. */
  readonly commandOnOneRow: boolean;
  toolLine(tool: ToolUse): string;
  /** In the footer and in the banner. */
  readonly model: string;
  readonly bannerModel: string;
  readonly toggleHint: string;
  readonly spinnerGap: string;
  readonly loginHint: string;
  /** The columns from which the banner's lines stand beside the logo. */
  readonly bannerBesideFrom: number;
  /** Cells that the right end of the footer is cut by: it measures `·` by its bytes. */
  readonly footerCut: number;
}

export interface ToolUse {
  readonly kind: 'command' | 'write' | 'read' | 'list';
  readonly target: string;
  /** How many equal ones this line stands for. */
  readonly count: number;
}

const EXPAND = ' (ctrl+o to expand)';
const OLD_NAMES = { command: 'Bash', write: 'Write', read: 'Read', list: 'ListDir' } as const;

export function wordingOf({ minor, isFuture }: AgyVersion): Wording {
  const asksByName = minor >= 2;
  return {
    commandQuestion: isFuture
      ? 'Shall this command be run?'
      : asksByName
        ? 'Run this command?'
        : 'Do you want to proceed?',
    commandOptions: (command) => commandOptions(command, { asksByName, isFuture }),
    commandHint:
      minor === 0
        ? '  ↑/↓ Navigate · tab Amend · e edit command'
        : '  ↑/↓ Navigate · tab Amend · ctrl+g edit/expand command',
    commandOnOneRow: minor === 0,
    toolLine: minor >= 3 ? newToolLine : oldToolLine,
    ...modelsOf(minor),
    toggleHint: minor === 0 ? 'x Toggle' : 'space Toggle',
    spinnerGap: minor === 0 ? ' ' : '  ',
    loginHint:
      minor >= 2
        ? '   ↑/↓ Navigate · enter Select'
        : '   [Use arrow keys to navigate, Enter to select]',
    bannerBesideFrom: minor === 0 ? 100 : 110,
    footerCut: minor === 1 ? 1 : 0,
  };
}

function commandOptions(
  command: string,
  { asksByName, isFuture }: { readonly asksByName: boolean; readonly isFuture: boolean },
): readonly string[] {
  const [first = ''] = command.split(' ');
  const always = [
    `Yes, and always allow in this conversation for commands that start with '${first}'`,
    `Yes, and always allow for commands that start with '${first}' (Persist to settings.json)`,
  ];
  if (isFuture) return ['Once', ...always, 'Not now'];
  return asksByName ? ['Yes, run command', ...always, 'No, cancel'] : ['Yes', ...always, 'No'];
}

function modelsOf(minor: number): Pick<Wording, 'model' | 'bannerModel'> {
  switch (minor) {
    case 0:
      return { model: 'Gemini 3.5 Flash (Medium)', bannerModel: 'Gemini 3.5 Flash (Medium)' };
    case 1:
      return { model: 'Gemini 3.7 Flash · high', bannerModel: 'Gemini 3.7 Flash (High)' };
    case 2:
      return { model: 'Gemini 3.6 Flash · low', bannerModel: 'Gemini 3.6 Flash (Low)' };
    default:
      return { model: 'Gemini 3.8 Flash · high', bannerModel: 'Gemini 3.8 Flash (High)' };
  }
}

function oldToolLine({ kind, target }: ToolUse): string {
  return `${OLD_NAMES[kind]}(${target})${EXPAND}`;
}

function newToolLine({ kind, target, count }: ToolUse): string {
  if (kind === 'command' && count > 1) return `Ran ${count} commands (${target} ×${count})`;
  if (kind === 'command') return `Ran (${target})`;
  if (kind === 'write') return `Edited 1 file (${target})`;
  return `${kind === 'read' ? 'Read' : 'Listed'} (${target})`;
}
