#!/bin/sh
# Pane command of one launch:  sh launcher.sh RUN_DIR   (absolute; owner-only; this file lies in it as a copy)
#
#   RUN_DIR/start      0600, written by mam (services/fleet/start-file.ts): removes itself, then becomes the agent
#   RUN_DIR/hold       present = keep the pane even after status 0 (mam removes it once the agent was ready)
#   RUN_DIR/stopping   present = stay the parent of what the agent left until none of it is alive
#   RUN_DIR/inner      written here: "PID STARTTICKS" of the recorder; STARTTICKS is field 22 of /proc/PID/stat,
#   RUN_DIR/agent      the same of the agent;                          or "-" where there is no /proc
#   RUN_DIR/subreaper  empty; the recorder adopts whatever the agent orphans (Linux with perl)
#   RUN_DIR/screen     last screen with its escape sequences, unless the terminal is gone
#   RUN_DIR/left       one "PID STARTTICKS" a line: adopted processes alive when the agent had ended
#   RUN_DIR/exit       last: "STATUS EPOCH_S HUNG_UP(0|1)"; STATUS is the shell's $? of the agent
# Each of these appears whole, by rename, or not at all (full disk).
# STATUS 70: start file missing or not removable; 71: recorder not startable; 72: no such working directory;
# 126, 127: program not executable, not found; above 128: a signal, or the agent's own choice.
#
# Outer shell = session leader. It keeps the default HUP on purpose: when the terminal goes, it dies and the
# kernel then hangs up the whole foreground group. A leader that traps HUP would hide it from the agent.
# Inner shell = recorder, the agent's parent. It survives HUP, INT, QUIT and TERM and writes down the end.
# The agent stays in their process group: with one of its own, dash and bash lose it or its status on a hang-up.

[ -z "${ZSH_VERSION-}" ] || emulate sh 2>/dev/null
run=$1

# look PID|self: sets pid, state, ticks from /proc; false when there is no such process, or no /proc.
look() {
  { IFS= read -r look <"/proc/$1/stat"; } 2>/dev/null || return 1
  pid=${look%% *}
  set -- ${look##*') '}
  state=$1 ticks=${20}
}

# put NAME TEXT: the file appears whole or not at all. A process of its own for mv, and for the umask, which
# is not the agent's.
put() (
  umask 077
  printf '%s\n' "$2" >"$run/$1.tmp" && exec mv -f "$run/$1.tmp" "$run/$1"
)

if [ "${2-}" != inner ]; then
  trap : INT QUIT
  set -- sh "$0" "$run" inner
  if [ -e /proc/self/exe ] && command -v perl >/dev/null 2>&1; then
    # What is set here is kept across exec: the process is the recorder already. PR_SET_CHILD_SUBREAPER (36) is
    # asked back (37) before it is claimed. The number of prctl follows from the ABI of this perl, not from
    # the kernel (uname): ELF machine x86-64, AArch64, RISC-V, LoongArch, i386, ARM, PowerPC64 LE.
    set -- perl -e '
      my $run = shift;
      my $mask = umask 077;
      eval {
        open EXE, "<", "/proc/self/exe";
        read EXE, my $elf, 20;
        my $prctl = {62, 157, 183, 167, 243, 167, 258, 167, 3, 172, 40, 172, 21, 171}->{unpack "x18v", $elf};
        my $is = pack "i", 0;
        if ($prctl) { syscall $prctl, 36, 1, 0, 0, 0; syscall $prctl, 37, $is, 0, 0, 0 }
        if (unpack("i", $is) == 1) { open MARK, ">", "$run/subreaper" }
      };
      eval {
        open STAT, "<", "/proc/self/stat";
        my $start = (split / /, <STAT> =~ s/.*\) //sr)[19];
        open FILE, ">", "$run/inner.tmp" and print FILE "$$ $start\n" and close FILE
          and rename "$run/inner.tmp", "$run/inner";
      };
      umask $mask;
      exec @ARGV or exit 71' "$run" "$@"
  fi
  exec 3>&2 2>/dev/null               # our own "Killed" must not soil the screen; no redirection on the command
  (exec 2>&3 3>&-; exec "$@")         # itself: dash would keep it while it waits, and speaks then
  rc=$?
  [ "$rc" -eq 0 ] && [ ! -e "$run/hold" ] && exit 0

  # The recorder died without a record (kill -9): the terminal is the agent's for as long as that lives.
  alive() {
    { read -r agent since <"$run/agent"; } 2>/dev/null || return 1
    if [ "$since" = - ]; then kill -0 "$agent" 2>/dev/null; return; fi
    look "$agent" && [ "$ticks" = "$since" ] && [ "$state" != Z ]
  }
  if [ ! -e "$run/exit" ]; then
    while alive; do sleep 1; done
  fi

  # Held: nothing that is typed runs anything, and no key closes the pane.
  trap '' INT QUIT TSTP
  stty sane -echo 2>/dev/null
  printf '\033[0m\033(B\017\033[r\033[4l\033[?6l\033[?1l\033>\033[?2026l\033[?2004l\033[?1004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?25h\033[?7l\033[999;1H\033[K[mam] agent ended with status %s; screen kept\033[?7h' "$rc"
  exec sleep 2147483647
fi

tty=0 hup=0
trap : HUP INT QUIT TERM
[ -t 0 ] && tty=1
exec 3>&2 2>/dev/null

if [ ! -e "$run/inner" ]; then        # no perl
  look $$ || ticks=-
  put inner "$$ $ticks"
fi

# In the subshell signals are at their defaults again, and exec keeps its pid and start time.
(
  look self || { pid=$(exec sh -c 'echo "$PPID"') ticks=-; }
  put agent "$pid $ticks"
  exec 2>&3 3>&-
  [ -f "$run/start" ] || exit 70
  . "$run/start"
)
rc=$?
trap '' HUP INT QUIT TERM              # for date, mv and tmux, too: the HUP may come only now and would kill them
umask 077

# Not known from a HUP: an agent that ends because its terminal went can be faster, and one that made itself
# a process group gets it in our place.
[ "$tty" -eq 1 ] && [ ! -t 0 ] && hup=1
printf '%s %s %s\n' "$rc" "$(date +%s)" "$hup" >"$run/exit.tmp"      # the last free block is for this
recorded=$?

if [ "$hup" -eq 0 ] && [ -n "${TMUX-}" ]; then
  socket=${TMUX%,*}                   # SOCKET,SERVER_PID,SESSION; a socket's path may have commas
  screen=$(tmux -S "${socket%,*}" capture-pane -p -e -t "$TMUX_PANE") && put screen "$screen"
fi

# children: sets kids to the pids of our children; false when there are none.
children() {
  kids=
  { IFS= read -r kids <"/proc/$$/task/$$/children"; } 2>/dev/null
  [ -n "$kids" ]
}
if children; then
  left=
  for kid in $kids; do
    look "$kid" && [ "$state" != Z ] && left="${left:+$left
}$kid $ticks"
  done
  [ -n "$left" ] && put left "$left"
fi

[ "$recorded" -eq 0 ] && mv -f "$run/exit.tmp" "$run/exit"

# orphans: true while a child of ours is alive.
orphans() {
  children || return 1
  for kid in $kids; do
    look "$kid" && [ "$state" != Z ] && return 0
  done
  return 1
}

# `mam stop` proves "nothing is left" by our children: stay until it has ended them. A run folder that
# vanished ends the wait too. Its rounds of KILL hit the sleep as well, hence statuses above 128.
nap=0.05 polls=0
while [ -e "$run/stopping" ] && orphans; do
  sleep "$nap"
  case $? in
    0) polls=$((polls + 1)); [ "$polls" -eq 100 ] && nap=1 ;;
    127) break ;;
    12[89] | 1[3-9]? | 2??) ;;
    *) [ "$nap" = 1 ] && break; nap=1 ;;        # a sleep that takes whole seconds only
  esac
done
exit "$rc"
