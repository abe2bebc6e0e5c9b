/** How programs of different people are kept apart on a cluster, in words. */
import type { ClusterView } from "@/server/api/views";

export const isolationWords: Record<ClusterView["isolation"], { title: string; meaning: string }> = {
  accounts: {
    title: "own account per slot",
    meaning:
      "Each slot runs its programs under an unprivileged account of its own, which can read neither the portal's files nor another slot's.",
  },
  namespaces: {
    title: "user and process namespaces",
    meaning:
      "Each program runs in its own user and process namespaces: it sees neither the portal's files nor other programs.",
  },
  none: {
    title: "none",
    meaning: "Programs here run under the portal's own account, so they could read its files.",
  },
};
