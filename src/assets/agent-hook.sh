#!/bin/sh
# Observing hook that a user's own settings of an agent name:  sh '…/agent-hook' EVENT [ANSWER]
# One file for every session, and for agents that mam did not start. Which launch an event belongs to is named by
# the agent's environment and proven by the process tree: the agent that this launch started is one of our
# ancestors, by pid and start time. Then the launch's own hook script takes the event; else nothing happens.
# ANSWER is printed in any case, where the agent's host wants one. Status 0, whatever happens.
[ -z "${ZSH_VERSION-}" ] || emulate sh 2>/dev/null
[ $# -lt 2 ] || printf '%s\n' "$2"

# has_ancestor PID TICKS
has_ancestor() {
  wanted=$1 since=$2 at=$PPID
  while [ "${at:-0}" -gt 1 ] && { IFS= read -r line <"/proc/$at/stat"; } 2>/dev/null; do
    here=$at
    # What follows the name begins with field 3; field 4 is the parent, field 22 the start time.
    set -- ${line##*') '}
    at=$2
    [ "$here" != "$wanted" ] || { [ "${20}" = "$since" ]; return; }
  done
  return 1
}

# of_launch FOLDER: takes the event when the launch is ours.
of_launch() {
  { IFS=' ' read -r pid ticks <"$1/agent"; } 2>/dev/null || return 1
  [ -f "$1/hook" ] && has_ancestor "$pid" "$ticks"
}

event=$1
case ${MAM_LAUNCH-} in
  '' | *[!0-9A-Z]*) ;;
  # The folder of the workspace's state is `.mam`, or what MAM_HOME named.
  *) for folder in "${MAM_WORKSPACE-}"/.mam "${MAM_WORKSPACE-}"/* "${MAM_WORKSPACE-}"/.*; do
    folder=$folder/run/$MAM_LAUNCH
    of_launch "$folder" && exec sh "$folder/hook" "$event"
  done ;;
esac
[ -t 0 ] || cat >/dev/null 2>&1
exit 0
