import type { Mam } from '../app/mam.ts';
import type { CommandContext } from './command.ts';
import type { Output } from './io.ts';

/** Opens the workspace for one command and closes it whatever happens. */
export async function withMam(
  context: CommandContext,
  fn: (mam: Mam, out: Output) => Promise<number>,
  { makesWorkspace = false } = {},
): Promise<number> {
  const { openMam } = await import('../app/mam.ts');
  await using mam = await openMam({ ...openOptions(context), makesWorkspace });
  return await fn(mam, context.out);
}

export function openOptions({ workspace, signal, verbose }: CommandContext) {
  return { signal, verbose, ...(workspace === undefined ? {} : { workspace }) };
}
