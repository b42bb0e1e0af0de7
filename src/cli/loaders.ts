import type { CliCommand } from './command.ts';
import type { CommandName } from './commands.ts';
import { readerLoaders } from './reader-loaders.ts';

/** The module of each command, loaded when the command is given. */
export const loaders: Readonly<Record<CommandName, () => Promise<CliCommand>>> = {
  ...readerLoaders,
  init: async () => (await import('./commands/init.ts')).init,
  create: async () => (await import('./commands/create.ts')).create,
  resume: async () => (await import('./commands/resume.ts')).resume,
  stop: async () => (await import('./commands/stop.ts')).stop,
  send: async () => (await import('./commands/send.ts')).send,
  answer: async () => (await import('./commands/answer.ts')).answer,
  attach: async () => (await import('./commands/attach.ts')).attach,
  monitor: async () => (await import('./commands/monitor.ts')).monitor,
  hooks: async () => (await import('./commands/hooks.ts')).hooks,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  help: async () => (await import('./commands/help.ts')).help,
};
