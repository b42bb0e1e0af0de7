import { shellQuote } from '../shared/prompt-text.ts';

/** Every event that Cline looks for by a file's name: the user may have a hook for any of them. */
export const hookEvents = [
  'TaskStart',
  'TaskResume',
  'TaskCancel',
  'TaskComplete',
  'TaskError',
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'PreCompact',
  'SessionShutdown',
] as const;

export interface HookFilesRequest {
  /** The folder that stands for the user's `~/.cline` in this launch, relative to the launch folder. */
  readonly folder: string;
  readonly launchDir: string;
  readonly hookScript: string;
  /** The user's own hooks, which Cline no longer looks for. */
  readonly userHooks: string;
}

/** One file for each event, and what they all run. Cline takes the program from the first line. */
export function hookFiles(request: HookFilesRequest) {
  const runner = `${request.folder}/run-hooks`;
  const path = shellQuote(`${request.launchDir}/${runner}`);
  return [
    ...hookEvents.map((event) => ({
      name: `${request.folder}/hooks/${event}`,
      content: `#!/bin/sh\nexec sh ${path} ${event}\n`,
    })),
    { name: runner, content: runnerText(request) },
  ];
}

/**
 * Tells mam of the event, then does what Cline would have done with the user's hooks: files of the event's
 * name in any case, with one of these endings; links are left out; the program from the first line, else by
 * the ending. One is given our place, with the payload on its standard input. Of several, which Cline merges,
 * the answer that cancels counts, else the last.
 */
function runnerText({ hookScript, userHooks }: HookFilesRequest): string {
  return `#!/bin/sh
event=$1
own=${shellQuote(hookScript)}
folder=${shellQuote(userHooks)}

is_hook() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  name=\${1##*/}
  case $name in *.sh | *.bash | *.zsh | *.js | *.mjs | *.cjs | *.ts | *.mts | *.cts | *.py | *.ps1) name=\${name%.*} ;; esac
  [ \${#name} -eq \${#event} ] && [ "$(printf %s "$name" | tr A-Z a-z)" = "$(printf %s "$event" | tr A-Z a-z)" ]
}

run() {
  line=
  IFS= read -r line <"$1"
  case $line in
    '#!'*)
      set -- \${line#??} "$1"
      case $1 in */env) shift ;; esac
      ;;
    *)
      case $1 in
        *.js | *.mjs | *.cjs) set -- node "$1" ;;
        *.ts | *.mts | *.cts) set -- bun run "$1" ;;
        *.py) set -- python3 "$1" ;;
        *.ps1) set -- pwsh -File "$1" ;;
        *) set -- bash "$1" ;;
      esac
      ;;
  esac
  exec "$@"
}

first=
others=
for file in "$folder"/*; do
  is_hook "$file" || continue
  [ -n "$first" ] && others=yes
  first=\${first:-$file}
done
[ -n "$first" ] || exec sh "$own" "$event"

umask 077
payload=$(mktemp "\${own%/*}/payload.XXXXXX") || exec sh "$own" "$event"
cat >"$payload"
sh "$own" "$event" <"$payload"
if [ -z "$others" ]; then
  exec <"$payload"
  rm -f "$payload"
  run "$first"
fi
answer=
for file in "$folder"/*; do
  is_hook "$file" || continue
  said=$( (run "$file") <"$payload")
  status=$?
  [ -n "$said" ] && answer=$said
  printf %s "$said" | grep -Eq '"cancel"[[:space:]]*:[[:space:]]*true' && break
done
rm -f "$payload"
[ -n "$answer" ] && printf '%s\\n' "$answer"
exit "$status"
`;
}
