export interface StartFileRequest {
  /** Absolute path of the agent's working directory. */
  readonly cwd: string;
  /** The program, best as an absolute path, and its arguments; none may contain a NUL. */
  readonly argv: readonly string[];
  /** The agent's whole environment: names `[A-Za-z_][A-Za-z0-9_]*`, values without NUL. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Renders `RUN_DIR/start`, the file that `assets/launcher.sh` sources to become the agent. To be
 * written 0600: it holds every value of `env` until it removes itself, before the agent runs.
 *
 * The agent gets `env`, `PWD` (= `cwd`), and the pane's `TERM` unless `env` has one; nothing else. Names
 * that belong to shells themselves ({@link isShellOwnName}) are left out.
 *
 * No value is ever in an argument list, where other users could read it. That rules out
 * `env -i NAME=VALUE PROGRAM`; and removing what is unwanted by name needs a list of names, which
 * POSIX sh cannot make safely (values have newlines; names that are no identifiers cannot be unset).
 * So the file is read twice: sourced, it starts `env -i sh` on itself, which holds nothing to remove,
 * and in there it exports and execs. The pid stays the same throughout. 2 ms.
 *
 * Ends with 70 when it cannot remove itself, 72 when `cwd` cannot be entered, 126 or 127 when
 * the program cannot be run or found.
 *
 * @throws {TypeError} a name, argument or path that cannot be passed; the message has no value.
 */
export function renderStartFile(request: StartFileRequest): string {
  const { cwd, argv, env } = request;
  if (!cwd.startsWith('/')) throw new TypeError('cwd of a start file must be absolute');
  const program = argv[0] ?? '';
  if (!/^[^-]/.test(program)) {
    throw new TypeError('program of a start file must not be empty or begin with "-"');
  }
  const names = Object.keys(env).filter((name) => !isShellOwnName(name));
  for (const name of Object.keys(env)) {
    if (!isVariableName(name)) throw new TypeError(`Not a variable name: ${JSON.stringify(name)}`);
  }
  const words = argv.map((word, index) => quote(word, `argument ${index}`));
  const exports = [...names.filter(isPlain), ...names.filter((name) => !isPlain(name))];

  return `# Start file of one launch, sourced by launcher.sh; readable by its owner only.
# Removed first: this file. Unset: every variable. Exported: PWD, TERM of the pane,
# ${names.toSorted().join(' ') || '(nothing else)'}
# Status 70: not removable; 72: no such directory; 126, 127: program not executable, not found.
[ "\${1-}" = clean ] || exec env -i PATH="$PATH" TERM="\${TERM-}" sh "$run/start" clean "$run/start"
rm -f -- "$2" || exit 70
cd -- ${quote(cwd, 'cwd')} || exit 72
${renderCommand(program, words)}
unset HOME LOGNAME OLDPWD PATH SHLVL
export PWD
${exports.map((name) => renderExport(name, env[name] ?? '')).join('')}exec "$@"
`;
}

/** True for a name that can be exported: an ASCII letter or `_`, then letters, digits and `_`. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/**
 * True for variables that a shell keeps for itself: read-only, computed, or changing its own run when
 * assigned (in zsh as sh, `USERNAME` and `UID` switch the user). An agent cannot be given these.
 * `ENV`, `BASH_ENV` and `PS1`…`PS4` are not among them: a shell looks at them only later, in the agent.
 */
export function isShellOwnName(name: string): boolean {
  return shellOwnNames.has(name) || /^(BASH(?!_ENV$)|ZSH_|KSH)/.test(name);
}

const shellOwnNames: ReadonlySet<string> = new Set(
  `_ ARGV0 COLUMNS DIRSTACK EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNAME FUNCNEST GID GROUPS
  HISTCMD HISTSIZE IFS KEYBOARD_HACK LINENO LINES OLDPWD OPTARG OPTERR OPTIND PGRP PIPESTATUS PPID PWD
  RANDOM SAVEHIST SECONDS SHELLOPTS SHLVL SRANDOM TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID
  USERNAME USER_ID histchars signals`.split(/\s+/),
);

/**
 * Sets the positional parameters to the command. bash and zsh add `_` and `SHLVL` to what they exec:
 * there, `env -u` takes both out, by name. It would take a program's path with `=` for an assignment.
 */
function renderCommand(program: string, words: readonly string[]): string {
  const command = words.join(' ');
  if (program.includes('=')) return `set -- ${command}`;
  return `if [ -n "\${BASH_VERSION-}\${ZSH_VERSION-}" ]; then
set -- "$(command -v env)" -u _ -u SHLVL ${command}
else
set -- ${command}
fi`;
}

/** Variables that change how the shell reads the rest of the file, or finds programs, come last. */
function isPlain(name: string): boolean {
  return !isLocale(name) && name !== 'PATH';
}

function isLocale(name: string): boolean {
  return name === 'LANG' || name === 'LANGUAGE' || name.startsWith('LC_');
}

/** bash warns about a locale that is not installed; the pane belongs to the agent. */
function renderExport(name: string, value: string): string {
  return `export ${name}=${quote(value, name)}${isLocale(name) ? ' 2>/dev/null' : ''}\n`;
}

/** One shell word; every byte stands for itself between single quotes, newlines too. */
function quote(text: string, what: string): string {
  if (text.includes('\0')) throw new TypeError(`${what} contains a NUL`);
  if (/\p{Surrogate}/u.test(text)) throw new TypeError(`${what} is not well-formed Unicode`);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
