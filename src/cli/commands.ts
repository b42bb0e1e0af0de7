/** Every command, in the order of the help. Loaders are elsewhere, so that help loads nothing. */
export const commandList = [
  { name: 'init', summary: 'Make a workspace in this folder' },
  { name: 'create', summary: 'Start an agent in a new session, ready to be spoken to' },
  { name: 'resume', summary: 'Bring sessions back on their own conversations' },
  { name: 'stop', summary: 'Ask an agent to finish and exit, and keep its conversation' },
  { name: 'status', summary: 'Show what runs, and how that is known; changes nothing' },
  { name: 'send', summary: 'Deliver a prompt with proof, at most once' },
  { name: 'capture', summary: "Print an agent's screen" },
  { name: 'answer', summary: 'Answer an open dialog by its own words' },
  { name: 'attach', summary: 'Open a session in this terminal' },
  { name: 'monitor', summary: 'Bring registry and tmux into agreement, with reasons' },
  { name: 'hooks', summary: "Put mam's hooks into an agent's settings, or take them out again" },
  { name: 'doctor', summary: 'Check what is installed, what works and what mends the rest' },
  { name: 'help', summary: 'Explain a command, or the settings (mam help config)' },
] as const satisfies readonly CommandEntry[];

export type CommandName = (typeof commandList)[number]['name'];

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
}
