/**
 * What the engine would hand out if there were agents for it: the tasks that are ready after every decision that could be
 * made was made, by lane, and the clusters whose agents could take them. The supply of agents (supply/) is decided from
 * this, in whatever process talks to the clusters; so a row is plain data. It costs the lanes that wait times the
 * clusters, however many tasks there are.
 */
import type { Ad } from "@/core/expressions";
import { clusterAds } from "./cluster-ad";
import type { ClusterId, RunId } from "./ids";
import type { Asks, Lane, Shelf } from "./lanes";
import { mayUse, roomInCategory } from "./room";
import type { Cluster, Core } from "./state";

export interface Demand {
  run: RunId;
  owner: string;
  ownerAdmin: boolean;
  /** Tasks that wait for nothing but an agent. */
  ready: number;
  /** What each of them asks for. */
  asks: Asks;
  wallSeconds?: number;
  /** Clusters that are open to the owner and that neither GridPolicy nor a requirement rules out. */
  clusters: ClusterId[];
}

/** So many agents of a cluster are looked at; where none of them would do, the next one hardly will. */
const mostLooked = 100;

export function demandOf(core: Core): Demand[] {
  const rows: Demand[] = [];
  for (const owner of core.hungry) {
    for (const shelf of owner.hungry) {
      let clusters: ClusterId[] | undefined;
      for (const lane of shelf.line) {
        if (lane.shelf !== shelf || lane.run.phase.is !== "going" || lane.particular?.held) continue;
        const ready = Math.min(lane.ready.size, roomInCategory(lane));
        if (ready <= 0) continue;
        // Lanes on one shelf are judged alike.
        clusters ??= clustersFor(core, lane);
        rows.push(rowOf(lane, ready, clusters));
      }
    }
  }
  return rows;
}

function rowOf({ run, asks, profile }: Lane, ready: number, clusters: ClusterId[]): Demand {
  return {
    run: run.plan.id,
    owner: run.plan.ownerId,
    ownerAdmin: run.plan.ownerAdmin,
    ready,
    asks,
    ...(profile.wallSeconds === undefined ? {} : { wallSeconds: profile.wallSeconds }),
    clusters,
  };
}

/** Where a new agent could take a task of the lane. */
export function clustersFor(core: Core, lane: Lane): ClusterId[] {
  const usable: ClusterId[] = [];
  for (const cluster of core.clusters.values()) {
    if (mayUse(core, cluster, lane) && couldSuit(cluster, lane)) usable.push(cluster.id);
  }
  return usable;
}

/**
 * Whether a new agent there could take it. What the cluster's hosts are like decides where it is known; else what is known
 * of the cluster itself, and the agents that are there: a cluster that has only shown hosts of the wrong kind is
 * not asked for more of them while they are there. Whether a new agent would be large enough its starter knows.
 */
function couldSuit(cluster: Cluster, lane: Lane): boolean {
  const { shelf } = lane;
  const ads = clusterAds(cluster.policy);
  if (!ads.some((ad) => isPossible(shelf, lane, ad))) return false;
  if (cluster.policy.kinds !== undefined || cluster.members.size === 0) return true;
  let looked = 0;
  for (const agent of cluster.members) {
    if (shelf.judge.matches(agent)) return true;
    looked += 1;
    if (looked === mostLooked) break;
  }
  return false;
}

/** No requirement is false there; one whose attributes are not known yet may turn out to be true. */
function isPossible(shelf: Shelf, { scene }: Lane, ad: Ad): boolean {
  return shelf.judge.terms.requirements.every(({ compiled }) => compiled && scene.judge(compiled)(ad) !== false);
}
