/** The command line, as Go's `flag` reads it: one or two dashes, parsing ends at the first word. */
export interface Argv {
  readonly strings: Readonly<Record<string, string>>;
  readonly flags: ReadonlySet<string>;
  readonly addDirs: readonly string[];
  readonly words: readonly string[];
}

/** An error of the command line: what goes to standard error, and the code. */
export class UsageError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const BOOLEANS = new Set([
  ...['version', 'help', 'h', 'c', 'continue', 'sandbox', 'dangerously-skip-permissions'],
  'new-project',
]);
const STRINGS = new Set([
  ...['conversation', 'i', 'prompt-interactive', 'p', 'print', 'prompt', 'print-timeout', 'model'],
  ...['effort', 'mode', 'project', 'log-file', 'output-format', 'input-format', 'json-schema'],
  ...['gemini_dir', 'stub-version', 'add-dir'],
]);
const SAME: Readonly<Record<string, string>> = {
  ...{ c: 'continue', i: 'prompt-interactive', p: 'print', prompt: 'print', h: 'help' },
};

export const USAGE = `Usage of agy:
  agy [flags] [models|agents|plugin|plugins|install|update|changelog|help]
${[...BOOLEANS, ...STRINGS].map((name) => `  -${name}`).join('\n')}`;

/** @throws {UsageError} */
export function parseArgv(argv: readonly string[]): Argv {
  const strings: Record<string, string> = {};
  const flags = new Set<string>();
  const addDirs: string[] = [];
  let at = 0;
  for (; at < argv.length && /^--?[^-]/.test(argv[at] ?? ''); at++) {
    const [, given = '', , inline] = /^--?([^=]+)(=(.*))?$/s.exec(argv[at] ?? '') ?? [];
    const name = SAME[given] ?? given;
    if (BOOLEANS.has(given)) {
      if (readBoolean(given, inline)) flags.add(name);
    } else if (STRINGS.has(given)) {
      const value = inline ?? argv[++at];
      if (value === undefined) throw usage(`flag needs an argument: -${given}`);
      if (name === 'add-dir') addDirs.push(value);
      else strings[name] = value;
    } else throw usage(`flags provided but not defined: -${given}`);
  }
  checkEffort(strings);
  return { strings, flags, addDirs, words: argv.slice(at) };
}

function readBoolean(name: string, value: string | undefined): boolean {
  if (value === undefined || ['true', '1', 't'].includes(value)) return true;
  if (['false', '0', 'f'].includes(value)) return false;
  throw usage(`invalid boolean value ${JSON.stringify(value)} for  -${name}: parse error`);
}

const EFFORTS = ['low', 'medium', 'high'];

function checkEffort({ effort, model = '' }: Readonly<Record<string, string>>): void {
  if (effort === undefined) return;
  if (!EFFORTS.includes(effort))
    throw new UsageError(`invalid --effort "${effort}" (valid: ${EFFORTS.join(', ')})`, 1);
  const own = EFFORTS.find((each) => model.endsWith(`-${each}`));
  if (own !== undefined && own !== effort)
    throw new UsageError(`model ${model} conflicts with --effort=${effort}`, 1);
}

function usage(message: string): UsageError {
  return new UsageError(`${message}\n${USAGE}`, 2);
}
