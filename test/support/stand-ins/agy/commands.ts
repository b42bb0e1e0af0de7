/** The program's own commands, in the order of the popup. */
const COMMANDS = {
  '/artifact': 'Review artifacts',
  '/clear': 'Start a new conversation',
  '/config': 'Settings',
  '/exit': 'Exit the CLI',
  '/fork': 'Go on in a copy of this conversation',
  '/help': 'Commands and shortcuts',
  '/hooks': 'Hooks that are loaded',
  '/model': 'Switch the model',
  '/quit': 'Exit the CLI',
  '/resume': 'Go on with an earlier conversation',
  '/tasks': 'Background tasks',
  '/usage': 'Quota',
} as const;

export type CommandName = keyof typeof COMMANDS;

export interface Popup {
  readonly names: readonly CommandName[];
  readonly choices: readonly string[];
}

/** What a draft that was typed, not pasted, may become; undefined when nothing begins like it. */
export function popupFor(draft: string): Popup | undefined {
  const names = Object.keys(COMMANDS).filter((name) => name.startsWith(draft)) as CommandName[];
  if (!draft.startsWith('/') || names.length === 0) return undefined;
  return { names, choices: names.map((name) => `${name.padEnd(12)} ${COMMANDS[name]}`) };
}
