import type { CliCommand } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CliCommand>;
}

/** Every command, in the order of the help. Names and summaries are here so that help loads nothing. */
export const commandList: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'Make a workspace in this folder',
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'create',
    summary: 'Start an agent in a new session, ready to be spoken to',
    load: async () => (await import('./commands/create.ts')).create,
  },
  {
    name: 'resume',
    summary: 'Bring sessions back on their own conversations',
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    name: 'stop',
    summary: 'Ask an agent to finish and exit, and keep its conversation',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'status',
    summary: 'Show what runs, and how that is known; changes nothing',
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'send',
    summary: 'Deliver a prompt with proof, at most once',
    load: async () => (await import('./commands/send.ts')).send,
  },
  {
    name: 'capture',
    summary: "Print an agent's screen",
    load: async () => (await import('./commands/capture.ts')).capture,
  },
  {
    name: 'answer',
    summary: 'Answer an open dialog by its own words',
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  {
    name: 'attach',
    summary: 'Open a session in this terminal',
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  {
    name: 'doctor',
    summary: 'Check what is installed, what works and what mends the rest',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'help',
    summary: 'Explain a command, or the settings (mam help config)',
    load: async () => (await import('./commands/help.ts')).help,
  },
];
