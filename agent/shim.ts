/**
 * The shim: a small POSIX shell program between the agent and a task, so that a task outlives its agent. There is one for
 * each slot; it starts the slot's tasks one after the other, writes down how each ended, and tells the agent. When the
 * agent is gone, its shim still waits for the task it has, writes the exit status and syncs it to disk, then ends.
 *
 * Per task it forks once and runs no program but the task's own: everything else is shell built-ins. The words of the command
 * reach it as data on its standard input and are never read as shell text. A request is
 *
 *   DIRECTORY       the attempt's spool directory
 *   =TEXT, +TEXT    a word, and its further lines if it has several; then what it is:
 *   A               a word of the command            E    NAME=VALUE for its environment
 *   D               the working directory            F    the largest file it may write, in blocks of 512 bytes
 *   P               the most processes its account may have
 *   B, C            a word of the command to run before the program, and of the one to run after it
 *   M               errors go where output goes
 *   G               all said, start it
 *
 * and the answer, when the program has ended, `ended STATUS`. A request cut short (the agent died while writing
 * it) starts nothing and leaves no `started` mark.
 *
 * Around the program (DAGMan's SCRIPT PRE and POST): if the command before it fails, nothing else is run and its status counts;
 * the status of the command after it counts instead of the program's, which it finds in place of `$RETURN`, negative for a
 * signal. Whose status it is stands in the file `decided`. What the last of them printed is in the file `around`.
 */
import type { Account } from "./isolation/isolation";

export const shim = `# Gridloom: starts tasks and keeps their exit status. See agent/shim.ts.
trap : PIPE
umask 022
while IFS= read -r spool; do
  attempt=\${spool##*/}
  (
    ready= count=0 words= before= after= word= errors=stderr
    while IFS= read -r line; do
      rest=\${line#?}
      case $line in
        =*) word=$rest ;;
        +*) word="$word
$rest" ;;
        A) count=$((count + 1)); eval "word_$count=\\$word"; words="$words \\"\\$word_$count\\"" ;;
        B) count=$((count + 1)); eval "word_$count=\\$word"; before="$before \\"\\$word_$count\\"" ;;
        C) count=$((count + 1)); eval "word_$count=\\$word"; after="$after $count" ;;
        M) errors=stdout ;;
        E) export "$word" ;;
        D) cd "$word" && unset OLDPWD || exit 125 ;;
        F) ulimit -f "$word" ;;
        # Shells do not agree on the letter.
        P) { ulimit -u "$word" || ulimit -p "$word"; } 2>/dev/null ;;
        # An account is taken by the words of the command; only agent/shim-perl.ts does it itself.
        U | R) exit 125 ;;
        G) ready=yes; break ;;
      esac
    done
    [ "$ready" ] || exit 125
    ulimit -c 0
    echo 500 >/proc/self/oom_score_adj
    echo "started $attempt" 1<>"$spool/started" || exit 125
    if [ "$before" ]; then
      (eval "set -- $before"; exec "$@" </dev/null >>"$spool/around" 2>&1) || {
        status=$?
        echo before >"$spool/decided"
        exit "$status"
      }
      # The agent has ended the task meanwhile: nothing more is to be started.
      [ ! -e "$spool/verdict.json" ] || exit 125
    fi
    eval "set -- $words"
    [ "$after" ] || exec "$@" </dev/null >>"$spool/stdout" 2>>"$spool/$errors"
    (exec "$@" </dev/null >>"$spool/stdout" 2>>"$spool/$errors")
    status=$?
    [ ! -e "$spool/verdict.json" ] || exit "$status"
    echo "after $status" >"$spool/decided" || exit 125
    [ "$status" -le 128 ] || status=$((128 - status))
    set --
    for count in $after; do
      eval "rest=\\$word_$count" word=
      while :; do
        case $rest in *'$RETURN'*) ;; *) break ;; esac
        word=$word\${rest%%'$RETURN'*}$status rest=\${rest#*'$RETURN'}
      done
      set -- "$@" "$word$rest"
    done
    exec "$@" </dev/null >"$spool/around" 2>&1
  )
  status=$?
  # An earlier attempt may have left its own mark there; it is written over, because emptying a file takes long.
  mark=
  [ ! -e "$spool/started" ] || IFS= read -r mark <"$spool/started"
  [ "$mark" = "started $attempt" ] || status=never
  if [ "$status" != never ]; then
    printf 'exit %s %s\\n' "$attempt" "$status" 1<>"$spool/exit"
  fi
  if ! printf 'ended %s\\n' "$status"; then
    sync "$spool/exit" "$spool" || sync
  fi
done
`;

export interface ShimRequest {
  spool: string;
  words: readonly string[];
  environment: Readonly<Record<string, string>>;
  workingDirectory: string;
  fileBytes: number;
  /** Only where the account is the task's own: the system counts all processes of an account. */
  mostProcesses: number | undefined;
  /** Words of commands around the program; none: no such command. */
  before: readonly string[];
  afterwards: readonly string[];
  /** Only for a shim that takes it. */
  account?: Account | undefined;
  /** Errors into the file of the output, which is also theirs. */
  mergeErrors: boolean;
}

/** A word that the shim, or any program, could not be given: text with a NUL in it. */
export function isPassable(word: string): boolean {
  return !word.includes("\0");
}

export function encodeRequest(request: ShimRequest): string {
  const lines = [request.spool];
  const say = (kind: string, text: string) => {
    const [first, ...more] = text.split("\n");
    lines.push(`=${first}`, ...more.map((line) => `+${line}`), kind);
  };
  say("D", request.workingDirectory);
  say("F", String(Math.max(1, Math.min(Math.ceil(request.fileBytes / 512), 2 ** 50))));
  if (request.mostProcesses !== undefined) say("P", String(request.mostProcesses));
  for (const [name, value] of Object.entries(request.environment)) say("E", `${name}=${value}`);
  if (request.account) {
    say("U", String(request.account.uid));
    say("R", String(request.account.gid));
  }
  for (const word of request.words) say("A", word);
  for (const word of request.before) say("B", word);
  for (const word of request.afterwards) say("C", word);
  if (request.mergeErrors) lines.push("M");
  lines.push("G");
  return `${lines.join("\n")}\n`;
}
