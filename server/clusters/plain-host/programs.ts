/**
 * What the ssh driver has a plain host do: small programs for any POSIX sh, sent on standard input. An agent's record is a
 * directory of its own:
 *
 *   script   what it runs                          pid      its process group, when it began, the boot it lives in
 *   log      what it said                          exit     how it ended, written by whoever waited for it
 *   cancel   we asked it to end
 */

/** Words that may be used in what follows. `root` is the directory of all records, relative to the account's home. */
export const preamble = `umask 077
cd "\${HOME:-/}" || exit 1
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || uname -n; }
# When a process began: its number alone may belong to another one by now. Nothing if there is none, or it is a zombie.
began() {
  told=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  set -- \${told##*) }
  [ "$1" = Z ] || [ "$1" = X ] || echo "\${20}"
}
state() {
  told=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  set -- \${told##*) }
  echo "$1"
}
`;

/**
 * Starts one agent whose script comes on standard input, in a session of its own, so that it outlives the connection. Making
 * the directory is the claim: the same agent asked for twice is started once.
 */
export const startFunction = `start() {
  place="$root/$1"
  mkdir -p "$root" || return 1
  if ! mkdir "$place" 2>/dev/null; then
    cat >/dev/null
    [ -d "$place" ] && echo "started $1"
    return
  fi
  cat >"$place/script.new" && mv "$place/script.new" "$place/script" || return 1
  setsid sh -c '
    place=$1
    told=$(cat "/proc/$$/stat"); set -- \${told##*) }
    echo "$$ \${20} $(cat /proc/sys/kernel/random/boot_id 2>/dev/null || uname -n)" >"$place/pid.new"
    mv "$place/pid.new" "$place/pid"
    trap : TERM INT HUP
    sh "$place/script"
    echo "$? $(date +%s)" >"$place/exit.new"; mv "$place/exit.new" "$place/exit"
  ' sh "$place" </dev/null >"$place/log" 2>&1 &
  echo "started $1"
}
`;

/** One line an agent: `agent pid began boot exit-code exit-time now-began state cancelled script-age`; `-` for what is not there. */
export const listProgram = `now=$(date +%s); this=$(boot)
echo "now $now $this $(uname -n)"
for place in "$root"/*/; do
  place=\${place%/}; [ -d "$place" ] || continue
  pid=- began=- boot=- code=- at=- cancelled=-
  [ -f "$place/pid" ] && read -r pid began boot <"$place/pid"
  [ -f "$place/exit" ] && read -r code at <"$place/exit"
  [ -f "$place/cancel" ] && cancelled=yes
  alive=- state=-
  if [ "$pid" != - ] && [ "$code" = - ]; then alive=$(began "$pid"); state=$(state "$pid"); fi
  age=$(( now - $(date -r "$place" +%s 2>/dev/null || echo "$now") ))
  echo "agent \${place##*/} $pid $began $boot $code $at \${alive:--} \${state:--} $cancelled $age"
done
# Records of agents that ended long ago.
find "$root" -mindepth 2 -maxdepth 2 -name exit -mmin +1440 2>/dev/null | while read -r old; do rm -rf "\${old%/exit}"; done
`;

/** Asks the agent's process group to end, and ends it ten seconds later if it has not. */
export const cancelFunction = `cancel() {
  place="$root/$1"
  [ -d "$place" ] && : >"$place/cancel" && [ -f "$place/pid" ] && [ ! -f "$place/exit" ] || return 0
  read -r pid began boot <"$place/pid"
  [ "$boot" = "$(boot)" ] && [ "$(began "$pid")" = "$began" ] || return 0
  kill -s TERM -- "-$pid" 2>/dev/null
  kill -s CONT -- "-$pid" 2>/dev/null
  setsid sh -c '
    sleep 10
    told=$(cat "/proc/$1/stat" 2>/dev/null) || exit 0
    pid=$1 began=$2; set -- \${told##*) }
    [ "\${20}" = "$began" ] && kill -s KILL -- "-$pid"
  ' sh "$pid" "$began" </dev/null >/dev/null 2>&1 &
}
`;

/** `key value` lines about the machine. */
export const lookProgram = `echo "name $(uname -n)"
echo "system $(uname -s) $(uname -r)"
echo "machine $(uname -m)"
echo "cpus $(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c ^processor /proc/cpuinfo)"
sed -n 's/^model name[^:]*: */model /p' /proc/cpuinfo 2>/dev/null | head -n 1
sed -n 's/^\\(MemTotal\\|MemAvailable\\|MemFree\\): *\\([0-9]*\\) kB/\\1 \\2/p' /proc/meminfo
read -r one five rest </proc/loadavg && echo "load $one"
`;
