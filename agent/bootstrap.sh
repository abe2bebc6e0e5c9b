# Gridloom: starts an agent on a host of which nothing is known but that it has a POSIX shell and can reach the portal by
# HTTP(S). A Node of the host serves if it is 18 or newer; else the portal's own is fetched. Programs are named by their
# SHA-256, checked when they arrive, and kept for the next agent of this account.
#
# server/clusters/agent-script.ts writes what stands before this text: the variables gateway, agent, bundle, node, node_for, work and
# minimal, and the functions write_token, write_ca, write_config and those of agent/minimal.sh. Nothing is exported: the token is neither in the arguments nor
# in the environment of any process.

say() { printf 'gridloom: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

sha256_of() {
  if command -v sha256sum >/dev/null 2>&1; then set -- "$(sha256sum <"$1")"
  elif command -v shasum >/dev/null 2>&1; then set -- "$(shasum -a 256 <"$1")"
  elif command -v openssl >/dev/null 2>&1; then set -- "$(openssl dgst -sha256 -r <"$1")"
  else fail "none of sha256sum, shasum and openssl is on this host, so nothing that arrives could be checked."; fi
  printf '%s\n' "${1%%[ *]*}"
}

# A directory of ours that nobody else can enter: where the cluster's admin said, else in the home, else in a temporary place.
choose_base() {
  # shellcheck disable=SC2088 # the admin's own way of writing "in the home"
  case $work in
    '~/'*) set -- "${HOME:-}/${work#??}" ;;
    /*) set -- "$work" ;;
    *) set -- "${HOME:-/nonexistent}/.gridloom" "${TMPDIR:-/tmp}/gridloom-$(id -u)" ;;
  esac
  for base; do
    mkdir -p "$base/agents" "$base/programs" 2>/dev/null || continue
    [ -w "$base/agents" ] && [ -n "$(find "$base" -prune -user "$(id -u)" 2>/dev/null)" ] || continue
    chmod 700 "$base" 2>/dev/null
    return 0
  done
  fail "no directory to work in: tried $*."
}

# `fetch WHAT FILE`: five tries with random waits, each going on where the one before broke off.
fetch() {
  what=$gateway/agent/v1/$1 file=$2 number=1
  while :; do
    set --
    if command -v curl >/dev/null 2>&1; then
      [ ! -s "$directory/ca.pem" ] || set -- --cacert "$directory/ca.pem"
      answer=$(curl -K "$directory/curl" "$@" -C - -o "$file" -w '%{http_code}' "$what") && return 0
      case $? in 35 | 51 | 60 | 77) return 1 ;; esac # not the portal, by its certificate
      case $answer in
        401 | 403 | 404) return 1 ;;
        416) rm -f "$file" ;; # what is here is not a part of it
      esac
    elif command -v wget >/dev/null 2>&1; then
      [ ! -s "$directory/ca.pem" ] || set -- --ca-certificate="$directory/ca.pem"
      WGETRC=$directory/wgetrc wget -q -c -T 60 -t 1 "$@" -O "$file" "$what" && return 0
      [ $? != 6 ] || return 1 # the token does not count
    else
      fail "neither curl nor wget is on this host, so nothing can be fetched from the portal."
    fi
    [ "$number" -lt 5 ] || return 1
    sleep $((number + ($$ + number * 7) % (2 * number + 1)))
    number=$((number + 1))
  done
}

# `bring SHA256 NAME MODE PACKED`: the program in $base/programs, fetched by one agent at a time.
bring() {
  place=$base/programs/$2
  waited=0
  while [ ! -f "$place" ]; do
    if mkdir "$place.lock" 2>/dev/null; then
      locked=$place.lock
      [ -f "$place" ] || receive "$1" "$place" "$3" "$4"
      rmdir "$locked"
      locked=
      [ -f "$place" ] || return 1
    elif [ -n "$(find "$place.lock" -prune -mmin +30 2>/dev/null)" ]; then
      # Whoever made it is gone: nobody fetches for so long.
      rmdir "$place.lock" 2>/dev/null
    elif [ "$waited" -ge 2400 ]; then
      return 1
    else
      sleep 1
      waited=$((waited + 1))
    fi
  done
}

receive() {
  arrived=$2.part
  if [ "$4" ] && command -v gzip >/dev/null 2>&1; then
    fetch "programs/$1.gz" "$arrived.gz" || return 1
    gzip -dc <"$arrived.gz" >"$arrived"
    rm -f "$arrived.gz"
  else
    fetch "programs/$1" "$arrived" || return 1
  fi
  if [ "$(sha256_of "$arrived")" = "$1" ]; then
    chmod "$3" "$arrived" && mv "$arrived" "$2"
    return
  fi
  rm -f "$arrived"
  say "the portal's program $1 did not arrive as announced."
  return 1
}

is_usable() {
  version=$("$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || return 1
  [ "${version:-0}" -ge 18 ] 2>/dev/null
}

find_node() {
  for name in node nodejs; do
    program=$(command -v "$name" 2>/dev/null) && is_usable "$program" && return 0
  done
  if [ "$(uname -s) $(uname -m)" != "$node_for" ]; then
    say "there is no Node 18 or newer here, and the portal's own is for $node_for, not for $(uname -s) $(uname -m)."
    return 1
  fi
  bring "$node" "node-$node" 700 packed || {
    say "the portal's Node could not be fetched."
    return 1
  }
  program=$base/programs/node-$node
  is_usable "$program" && return 0
  say "there is no Node 18 or newer here, and the portal's own does not run on this system."
  return 1
}

main() {
  umask 077
  set -u
  PATH=${PATH:-/bin}:/usr/local/bin:/usr/bin:/bin
  unset NODE_OPTIONS
  choose_base
  # With the host's name in it: a batch system may start the same job again elsewhere, with the same home.
  directory=$base/agents/$agent.$(uname -n | tr -c 'A-Za-z0-9.\n-' _)
  locked=
  [ -e "$directory/lock" ] || trap 'rm -rf "$directory"' EXIT
  trap 'rmdir "$locked" 2>/dev/null; exit 143' TERM INT HUP
  mkdir -p "$directory" || fail "$directory cannot be made."
  cd "$directory" || fail "$directory cannot be entered."
  write_token >token || fail "$directory cannot be written to."
  write_ca >ca.pem
  printf 'header = "Authorization: Bearer %s"\nfail\nsilent\nshow-error\nconnect-timeout = 20\nspeed-time = 60\nspeed-limit = 1\n' "$(cat token)" >curl
  printf 'header = Authorization: Bearer %s\n' "$(cat token)" >wgetrc
  if [ "$minimal" = always ]; then
    minimal_agent
    return
  fi
  if ! find_node; then
    [ "$minimal" = fallback ] || fail "so no agent can be started on $(uname -n)."
    say "the minimal agent does one task instead."
    minimal_agent
    return
  fi
  bring "$bundle" "agent-$bundle.mjs" 600 "" || fail "the agent could not be fetched from $gateway."
  agent_program=$base/programs/agent-$bundle.mjs
  if [ "$(sha256_of "$agent_program")" != "$bundle" ]; then
    rm -f "$agent_program"
    bring "$bundle" "agent-$bundle.mjs" 600 "" || fail "the agent could not be fetched from $gateway."
  fi
  rm -f curl wgetrc
  write_config >config.json
  printf '{"agent":"%s"}\n' "$agent" >identity.json
  trap - EXIT TERM INT HUP
  exec "$program" "$agent_program" --config "$directory/config.json"
}

# In one piece: the shell may be reading this text from its standard input, which must not be read by anybody else.
main </dev/null
