import type { CliCommand } from './command.ts';

/** Commands that only look. They are a bundle of their own: what is asked most often starts quickest. */
export const readerLoaders = {
  status: async () => (await import('./commands/status.ts')).status,
  capture: async () => (await import('./commands/capture.ts')).capture,
} as const satisfies Record<string, () => Promise<CliCommand>>;

export type ReaderName = keyof typeof readerLoaders;
