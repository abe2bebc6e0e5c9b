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
 *   G               all said, start it
 *
 * and the answer, when the program has ended, `ended STATUS`. A request cut short (the agent died while writing
 * it) starts nothing and leaves no `started` mark.
 */
export const shim = `# Gridloom: starts tasks and keeps their exit status. See agent/shim.ts.
trap : PIPE
umask 022
while IFS= read -r spool; do
  (
    ready= count=0 words= word=
    while IFS= read -r line; do
      rest=\${line#?}
      case $line in
        =*) word=$rest ;;
        +*) word="$word
$rest" ;;
        A) count=$((count + 1)); eval "word_$count=\\$word"; words="$words \\"\\$word_$count\\"" ;;
        E) export "$word" ;;
        D) cd "$word" && unset OLDPWD || exit 125 ;;
        F) ulimit -f "$word" ;;
        # Shells do not agree on the letter.
        P) { ulimit -u "$word" || ulimit -p "$word"; } 2>/dev/null ;;
        G) ready=yes; break ;;
      esac
    done
    [ "$ready" ] || exit 125
    eval "set -- $words"
    ulimit -c 0
    echo 500 >/proc/self/oom_score_adj
    : >"$spool/started" || exit 125
    exec "$@" </dev/null >>"$spool/stdout" 2>>"$spool/stderr"
  )
  status=$?
  [ -e "$spool/started" ] || status=never
  if [ "$status" != never ]; then
    printf 'exit %s\\n' "$status" >"$spool/exit"
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
  for (const word of request.words) say("A", word);
  lines.push("G");
  return `${lines.join("\n")}\n`;
}
