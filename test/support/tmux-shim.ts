import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a tmux does otherwise than the one installed here. All of it can be combined. */
export interface TmuxShimOptions {
  /** How control bytes of what formats print arrive: newer tmux replaces them, capture-pane does not. */
  readonly formats?: 'underscores' | 'escaped-tabs' | 'raw';
  /** What `-V` prints. */
  readonly version?: string;
  /** Shell lines run first; they may `exit`. `$*` are tmux's arguments, `$REAL` is the real tmux. */
  readonly before?: string;
}

/** A program `tmux` in a folder of its own, to be put first in a PATH. */
export interface TmuxShim {
  readonly folder: string;
  readonly program: string;
  /** How often it was started. */
  calls(): number;
}

/** Formats are told from screens by how their lines begin: our mark, or the answer of new-session. */
const FORMAT_LINE = '/^mam-[0-9a-f]\\{18\\} /';
const NEW_SESSION_LINE = '/^\\$[0-9][0-9]* %[0-9]/';

const rewriters = {
  underscores: 's/[[:cntrl:]]/_/g',
  'escaped-tabs': 's/\\t/\\\\t/g',
  raw: '',
} as const;

/** @param folder - Made here. */
export function makeTmuxShim(folder: string, options: TmuxShimOptions = {}): TmuxShim {
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'calls.log');
  const program = join(folder, 'tmux');
  const { version, before = '', formats = 'raw' } = options;
  const rule = rewriters[formats];
  const script = rule === '' ? '' : `${FORMAT_LINE}${rule};${NEW_SESSION_LINE}${rule}`;
  const versionLine =
    version === undefined
      ? ''
      : `case " $* " in *" -V "*) printf '%s\\n' ${quote(version)}; exit 0 ;; esac`;
  const run =
    script === ''
      ? 'exec "$REAL" "$@"'
      : `answer=$(mktemp ${quote(join(folder, 'answer.XXXXXX'))})
"$REAL" "$@" >"$answer"
status=$?
LC_ALL=C sed ${quote(script)} "$answer"
rm -f "$answer"
exit "$status"`;
  writeFileSync(
    program,
    `#!/bin/sh\nREAL=${quote(realTmux())}\necho x >>${quote(log)}\n${versionLine}\n${before}\n${run}\n`,
  );
  chmodSync(program, 0o755);
  return {
    folder,
    program,
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').length / 2 : 0),
  };
}

export function realTmux(): string {
  return execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
