# Gridloom's minimal agent (core/protocol/minimal.ts): does one task with sh and curl, then leaves. For hosts without a usable Node, and for
# tasks that are not worth starting one. It is read after agent/bootstrap.sh's functions and uses $gateway, $base, $directory.

# `ask METHOD WHAT FILE [curl words]`: the answer's body in FILE, its status in $status. Tries until the portal answers.
ask() {
  method=$1 what=$gateway/agent/v1/$2 answer_file=$3 pause=1
  shift 3
  [ ! -s "$directory/ca.pem" ] || set -- "$@" --cacert "$directory/ca.pem"
  while :; do
    status=$(curl -K "$directory/curl-plain" -X "$method" -o "$answer_file" -w '%{http_code}' "$@" "$what") || status=000
    case $status in
      000 | 5??) ;;
      *) return 0 ;;
    esac
    # The portal is away: wait longer each time, and not all at the same moment.
    sleep $((pause + $$ % 3))
    [ "$pause" -ge 30 ] || pause=$((pause * 2))
  done
}

decoded() {
  name=$(printf '%b_' "$1")
  name=${name%_}
}

# `take WORD`: the lines of the assignment that begin with it, without it, in the file `lines`.
take() { sed -n "1,/^script\$/s/^$1 //p" "$directory/task.txt" >"$directory/lines"; }

make_parents() {
  case $1 in */*) mkdir -p "$work_here/${1%/*}" ;; esac
}

stage_in() {
  take input
  while read -r sha256 mode where encoded; do
    decoded "$encoded"
    make_parents "$name"
    arrived=$directory/arrived
    rm -f "$arrived"
    if [ "$where" = kept ]; then
      [ -f "$base/cache/kept/$sha256" ] && cp "$base/cache/kept/$sha256" "$arrived" || {
        printf 'gone\nmissing %s\n' "$encoded" >"$directory/end"
        return 1
      }
    elif [ -f "$base/cache/files/$sha256" ]; then
      cp "$base/cache/files/$sha256" "$arrived"
    else
      fetch "files/$sha256" "$arrived" || {
        printf 'staging The input %s could not be fetched.\n' "$encoded" >"$directory/end"
        return 1
      }
    fi
    if [ "$(sha256_of "$arrived")" != "$sha256" ]; then
      printf 'staging The input %s did not arrive as announced.\n' "$encoded" >"$directory/end"
      return 1
    fi
    mv "$arrived" "$work_here/$name"
    [ "$mode" != x ] || chmod 755 "$work_here/$name"
  done <"$directory/lines"
  take output
  while read -r where encoded; do
    decoded "$encoded"
    make_parents "$name"
  done <"$directory/lines"
}

# Runs it in a session of its own, and asks the portal every few seconds whether to go on.
run_task() {
  sed '1,/^script$/d' "$directory/task.txt" >"$directory/run.sh"
  out=$directory/stdout err=$directory/stderr
  take stdout
  while read -r encoded; do decoded "$encoded" && out=$work_here/$name; done <"$directory/lines"
  take stderr
  while read -r encoded; do decoded "$encoded" && err=$work_here/$name; done <"$directory/lines"
  wall=$(sed -n 's/^wall //p;/^script$/q' "$directory/task.txt")
  started=$(date +%s)
  mkdir "$directory/tmp"
  cd "$work_here" || return 1
  own_session=
  command -v setsid >/dev/null 2>&1 && own_session=setsid
  : >"$out"
  if [ "$out" = "$err" ]; then $own_session sh "$directory/run.sh" "$directory/tmp" >>"$out" 2>&1 &
  else $own_session sh "$directory/run.sh" "$directory/tmp" >>"$out" 2>"$err" & fi
  task=$!
  ask POST "minimal/alive?$held&started=$started" "$directory/alive"
  verdict=
  heard=$started
  while kill -0 "$task" 2>/dev/null; do
    now=$(date +%s)
    if [ "$((now - started))" -gt "$wall" ]; then
      verdict=time-limit
    elif [ "$((now - heard))" -ge 5 ]; then
      heard=$now
      # One try: the task goes on while the portal is away.
      set --
      [ ! -s "$directory/ca.pem" ] || set -- --cacert "$directory/ca.pem"
      says=$(curl -K "$directory/curl-plain" -X POST -m 5 "$@" "$gateway/agent/v1/minimal/alive?$held" 2>/dev/null)
      [ "$says" != stop ] || verdict=cancelled
    fi
    [ -z "$verdict" ] || kill_task
    sleep 0.2 2>/dev/null || sleep 1
  done
  wait "$task"
  code=$?
  cd "$directory" || return 1
  kill_task
  if [ "$verdict" ]; then echo "$verdict" >end; else echo "exit $code" >end; fi
  printf 'started %s\nat %s\n' "$started" "$(date +%s)" >>end
}

kill_task() {
  if [ "$own_session" ]; then kill -9 "-$task" 2>/dev/null; else kill -9 "$task" 2>/dev/null; fi
}

stage_out() {
  [ "$(head -n 1 "$directory/end")" = "exit 0" ] || return 0
  take output
  while read -r where encoded; do
    decoded "$encoded"
    file=$work_here/$name
    # What the program left must be a file of its own, not a way to somebody else's.
    if [ -h "$file" ] || [ ! -f "$file" ]; then
      echo "missing $encoded" >>"$directory/end"
      continue
    fi
    sha256=$(sha256_of "$file")
    size=$(($(wc -c <"$file")))
    if [ "$where" = kept ]; then
      mkdir -p "$base/cache/kept" "$base/cache/runs/$run" "$base/cache/incoming"
      cp "$file" "$base/cache/incoming/$$" && mv "$base/cache/incoming/$$" "$base/cache/kept/$sha256"
      : >"$base/cache/runs/$run/$sha256"
    else
      ask PUT "files/$sha256" "$directory/answer" -H 'Content-Type: application/octet-stream' -T "$file"
      case $status in
        2??) ;;
        *)
          printf 'staging The output %s was refused with %s.\n' "$encoded" "$status" >"$directory/end"
          return 0
          ;;
      esac
    fi
    printf 'output %s %s %s %s\n' "$sha256" "$size" "$where" "$encoded" >>"$directory/end"
  done <"$directory/lines"
}

send_streams() {
  stream_limit=$(sed -n 's/^stream //p;/^script$/q' "$directory/task.txt")
  for stream in stdout stderr; do
    if [ "$stream" = stdout ]; then printed=$out; else printed=$err; fi
    [ -s "$printed" ] && [ ! -h "$printed" ] || continue
    head -c "$stream_limit" "$printed" >"$directory/printed" 2>/dev/null
    ask PUT "minimal/output?$held&stream=$stream" "$directory/answer" -T "$directory/printed"
  done
}

minimal_agent() {
  command -v curl >/dev/null 2>&1 || fail "the minimal agent needs curl, which is not on this host."
  # Without `fail`: the answer says what to do.
  grep -v '^fail$' "$directory/curl" >"$directory/curl-plain"
  work_here=$directory/task
  mkdir -p "$work_here"
  {
    printf 'name %s\nos %s %s\narch %s\n' "$(uname -n)" "$(uname -s)" "$(uname -r)" "$(uname -m)"
    printf 'cpus %s\n' "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)"
    awk '/^MemTotal:/ { printf "memory %d\n", $2 * 1024 }' /proc/meminfo 2>/dev/null
  } >"$directory/facts"
  ask POST minimal/hello "$directory/answer" --data-binary "@$directory/facts"
  [ "$status" = 204 ] || fail "the portal refused this agent with $status: $(cat "$directory/answer")"
  waited_since=$(date +%s)
  while :; do
    ask POST minimal/task "$directory/task.txt"
    case $status in
      200) break ;;
      204) [ "$(($(date +%s) - waited_since))" -lt "$minimal_patience" ] || {
        say "there was no task for $minimal_patience seconds."
        ask POST minimal/bye "$directory/answer"
        return 0
      } ;;
      *)
        say "the portal says $status: $(cat "$directory/task.txt")"
        ask POST minimal/bye "$directory/answer"
        return 0
        ;;
    esac
  done
  read -r _ attempt epoch <"$directory/task.txt"
  held="attempt=$attempt&epoch=$epoch"
  run=${attempt%%.*}
  out=/dev/null err=/dev/null
  if stage_in && run_task; then
    send_streams
    stage_out
  fi
  while :; do
    ask POST "minimal/ended?$held" "$directory/answer" --data-binary "@$directory/end"
    [ "$status" = 202 ] || break
  done
  [ "$status" = 200 ] || say "the portal did not take the result: $status $(cat "$directory/answer")"
  ask POST minimal/bye "$directory/answer"
}
