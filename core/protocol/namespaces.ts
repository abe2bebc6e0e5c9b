/**
 * How an ordinary user's machine shuts a task in: the words that start a program inside its own user, PID, IPC and mount
 * namespaces. The agent runs tasks with them; the local cluster's driver tries them once, with the same words, to
 * find out whether this machine allows it. Only text is made here.
 *
 * Two layers. In the outer one we are root of our own namespaces and put the mounts in place; the inner one gives
 * that up (another user namespace, no capabilities, no new privileges), so that what the outer one covered
 * cannot be uncovered: mounts that come from a more privileged namespace are locked.
 *
 * What the task still shares with the user: the network (a task may need it), and with it the sockets that have an abstract
 * name instead of a file (some X servers have one); files of theirs outside the hidden directories, to read; and mounts that
 * the kernel or the system's `mount` refuses to make read-only, which stay as writable as the user has them.
 *
 * The first process of the PID namespace is the script's shell: when it ends, the kernel ends everything in there.
 */

/** Where the task finds its directory; the hidden paths may be above the real one. */
export const namespaceTaskDirectory = "/tmp/task";
/** Inside the task's real directory: becomes its /tmp, with a place to put the directory itself. */
export const namespaceTemporary = ".tmp";

/** Runs with the task's real directory as working directory: `sh FILE UID GID HIDDEN-COUNT HIDDEN… PROGRAM WORD…` */
export const namespaceScript = `# Gridloom: shuts a task into its own view of the file system, then runs it. See core/protocol/namespaces.ts.
uid=$1 gid=$2 hidden=$3
shift 3
# The source is named relative to the working directory: by its full path it may already be covered.
mount -n -c --bind . ${namespaceTemporary}/task || exit 125
mount -n -c --rbind ${namespaceTemporary} /tmp || exit 125
mount -n -c --bind ${namespaceTemporary} /var/tmp 2>/dev/null
[ ! -d /dev/shm ] || mount -n -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm || exit 125
# Sockets of the user's session and of services wait in /run. Only what name resolution reads there is put back: the file's
# text, through the link that leads to it.
names=
if [ -h /etc/resolv.conf ] && [ -r /etc/resolv.conf ]; then
  while IFS= read -r line || [ "$line" ]; do names="$names$line
"; done </etc/resolv.conf
fi
for place in /run /var/run; do
  [ -d "$place" ] && [ ! -h "$place" ] || continue
  mount -n -t tmpfs -o size=256k,nr_inodes=64,mode=755 tmpfs "$place" || exit 125
done
if [ "$names" ]; then
  mkdir -p /run/systemd/resolve /run/resolvconf /run/NetworkManager /run/connman
  { printf '%s' "$names" >/etc/resolv.conf; } 2>/dev/null
fi
while [ "$hidden" -gt 0 ]; do
  if [ -d "$1" ]; then mount -n -t tmpfs -o size=4k,mode=755,ro tmpfs "$1" || exit 125; fi
  shift
  hidden=$((hidden - 1))
done
# What remains of the user's own files may be read, as any program of theirs could, but not changed.
# A mount that came from the user must keep its other restrictions, or the kernel refuses.
while read -r _ place _ options _; do
  case $place in
    /tmp | /tmp/* | /var/tmp | /var/tmp/* | /run | /run/* | /var/run | /var/run/*) continue ;;
    /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) continue ;;
  esac
  case $options in ro | ro,*) continue ;; esac
  keep=
  for option in nosuid nodev noexec noatime nodiratime relatime; do
    case ,$options, in *,$option,*) keep=$keep,$option ;; esac
  done
  case $place in *\\\\*) place=$(printf %b "$place") ;; esac
  mount -n -c -o "remount,bind,ro$keep" "$place" 2>/dev/null
done </proc/self/mounts
cd ${namespaceTaskDirectory} && unset OLDPWD || exit 125
unshare --user --map-user="$uid" --map-group="$gid" --mount -- \\
  setpriv --no-new-privs --inh-caps=-all -- "$@"
exit $?
`;

export interface NamespaceEntry {
  /** A file holding {@link namespaceScript}. */
  script: string;
  uid: number;
  gid: number;
  /** Directories to cover with an empty one. Paths below /tmp and /var/tmp are covered already. */
  hide: readonly string[];
}

/** Words to put before a program's own. The caller's working directory must be the task's. */
export function namespaceWords(entry: NamespaceEntry): string[] {
  const hide = entry.hide.filter((path) => path !== "/" && path !== "/tmp" && path !== "/var/tmp");
  return [
    "setsid",
    "unshare",
    "--user",
    "--map-root-user",
    "--pid",
    "--ipc",
    "--mount",
    "--mount-proc",
    "--kill-child",
    "--",
    "/bin/sh",
    entry.script,
    String(entry.uid),
    String(entry.gid),
    String(hide.length),
    ...hide,
  ];
}
