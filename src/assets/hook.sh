#!/bin/sh
# Observing hook of one launch:  sh 'LAUNCH/hook' EVENT   (payload on stdin)
# Writes LAUNCH/spool/<epoch s>.<pid>.<EVENT>, which appears whole, by rename from a name with a leading dot, or
# not at all. Whose event it is says the path of this file, never the environment: a project's settings reach
# that. It never disturbs the agent: status 0, no output, its whole stdin read, and no signal of the terminal's
# end loses an event. A payload is cut after 4 MiB.
#
# Cost: the processes date, cat and mv; everything else is the shell's own.
exec >/dev/null 2>&1
trap '' HUP INT QUIT PIPE XFSZ
LC_ALL=C PATH=/usr/bin:/bin${PATH:+:$PATH}
export LC_ALL PATH
umask 077

spool=${0%/*}/spool
event=$1
case $event in '' | *[!A-Za-z0-9_-]*) event=unknown ;; esac
[ ${#event} -gt 64 ] && event=unknown
{ [ ! -t 0 ] && true 9<&0; } || exec </dev/null           # a terminal or nothing: there is no payload to wait for

# A pid can come twice within a second, and another pid namespace has the same numbers at the same time: the
# name is taken by creating the hidden file (O_EXCL), and only then the final one is looked for. Its owner holds
# the hidden name until the rename, so that no two ever have both free. Digits are added until it is ours.
set -C
now=$(date +%s)
id=$$
tries=0
while :; do
  if printf '' >"$spool/.$now.$id.$event"; then
    [ -e "$spool/$now.$id.$event" ] || break
    rm -f "$spool/.$now.$id.$event"
  fi
  id=${id}0 tries=$((tries + 1))
  if [ "$tries" -eq 5 ] || [ ! -d "$spool" ]; then
    cat                                                    # nowhere to write: the sender still gets rid of it
    exit 0
  fi
done
name=$now.$id.$event

# The limit (units of 512 bytes) makes cat fail where a count would need one more process in every event.
ulimit -f 8192
if cat >>"$spool/.$name"; then
  mv -f "$spool/.$name" "$spool/$name"
else
  cat
  if [ "$(wc -c <"$spool/.$name")" -ge 4194304 ]; then     # cut, but all that we promise
    mv -f "$spool/.$name" "$spool/$name"
  else                                                     # full disk
    rm -f "$spool/.$name"
  fi
fi
exit 0
