import { MamError } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import { passedNames } from './agent-environment.ts';
import type { FleetContext } from './context.ts';
import { launchFolder } from './launch-records.ts';

/** Names, never values: what a start was given of its caller's environment. One a line. */
const FILE = 'env-names';
/** What every agent gets in any case. */
const HAS_DEFAULT = /^(?:LANG|LC_.*)$/;

/** @param env - The agent's own. */
export function writeEnvironmentNames(
  { files }: Pick<FleetContext, 'files'>,
  folder: string,
  env: Readonly<Record<string, string>>,
  { card, store }: AgentAdapter,
): void {
  /** An agent tells its tools where its store is, and so tells a mam among them. */
  const saysDefault = (name: string) => {
    const { [name]: value, ...others } = env;
    return value === store.folder(env) && value === store.folder(others);
  };
  const names = passedNames(env, card).filter(
    (name) => !HAS_DEFAULT.test(name) && !saysDefault(name),
  );
  files.write(`${folder}/${FILE}`, names.map((name) => `${name}\n`).join(''), 0o600);
}

/**
 * An agent that was started with a key, a proxy or a folder of its own would come up as another one, or not
 * at all, without them.
 *
 * @throws {MamError} `env.missing`, naming what this process does not have.
 */
export function assertEnvironment(context: FleetContext, session: Session): void {
  const text = context.files.readText(`${launchFolder(context, session.launch)}/${FILE}`);
  const names = (text ?? '').split('\n').filter((name) => name !== '');
  const missing = names.filter((name) => context.env[name] === undefined);
  if (missing.length === 0) return;
  throw new MamError(
    'env.missing',
    `"${session.name}" was started with ${missing.join(', ')}, which this process does not have; values are never stored.`,
    { session: session.name, names: missing },
    { hint: `mam resume ${session.name} where they are set, or mam monitor run with them` },
  );
}
