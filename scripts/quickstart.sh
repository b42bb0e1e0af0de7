#!/bin/sh
# Sets a fresh machine up and runs the main job on the built-in demo agent: no account is needed.
#   scripts/quickstart.sh         check, install what npm can, build, run the job
#   scripts/quickstart.sh --check      only say what is missing
# Missing system packages are installed when we are root or sudo asks for no password; otherwise the one
# command that installs them is said, and nothing is done.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

need_packages=
node_ok() {
  command -v node >/dev/null 2>&1 &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}
tmux_ok() {
  command -v tmux >/dev/null 2>&1 || return 1
  version=$(tmux -V | sed -n 's/^tmux \(next-\)\{0,1\}\([0-9]*\)\.\([0-9]*\).*/\2 \3/p')
  [ -z "$version" ] && return 0
  set -- $version
  [ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 2 ]; }
}
compiler_ok() { command -v make >/dev/null 2>&1 && command -v g++ >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; }
sqlite_ok() { node -e 'new (require("better-sqlite3"))(":memory:")' >/dev/null 2>&1; }

if ! node_ok; then
  say 'quickstart: Node 20.19 or newer is needed; found: '"$(node --version 2>/dev/null || echo none)"
  say '     → install it from https://nodejs.org, or with your package manager, and run sh scripts/quickstart.sh again'
  exit 5
fi
tmux_ok || need_packages="$need_packages tmux"
# The SQLite module is compiled where no prebuilt one can be fetched.
sqlite_ok || compiler_ok || need_packages="$need_packages make g++ python3"

if [ -n "$need_packages" ]; then
  install="apt-get install -y$need_packages"
  if command -v dnf >/dev/null 2>&1; then install="dnf install -y$(echo "$need_packages" | sed 's/g++/gcc-c++/')"; fi
  say "quickstart: missing:$need_packages (tmux 3.2 or newer; a compiler builds the SQLite module)"
  root=
  [ "$(id -u)" -eq 0 ] || root='sudo '
  say "     → ${root}${install}"
  [ "${1-}" = --check ] && exit 5
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive $install >/dev/null
  elif command -v apt-get >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo -n apt-get update -qq && sudo -n env DEBIAN_FRONTEND=noninteractive $install >/dev/null
  else
    exit 5
  fi
fi
[ "${1-}" = --check ] && { say 'quickstart: everything that is needed is here'; exit 0; }

sqlite_ok || { say 'quickstart: npm ci (compiling the SQLite module can take two minutes)'; npm ci --no-audit --no-fund >&2; }
[ -x node_modules/.bin/esbuild ] || npm ci --no-audit --no-fund >&2
node scripts/build.mjs
exec node scripts/main-job.mjs "$@"
