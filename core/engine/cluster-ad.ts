/**
 * What expressions may see of a cluster before an agent of it has spoken: its names, and the kinds of hosts that were
 * discovered there. So GridPolicy and requirements can rule a cluster out before agents are asked of it.
 */
import type { Ad } from "@/core/expressions";
import { factEntries, LiveAd } from "./live-ad";
import type { ClusterPolicy } from "./plan";

/** A policy is replaced as a whole, never changed: what was made of it stays true as long as it lives. */
const known = new WeakMap<ClusterPolicy, Ad[]>();

/** One for each kind of host; one with the cluster's own names where no kind is known. */
export function clusterAds(policy: ClusterPolicy): readonly Ad[] {
  let ads = known.get(policy);
  if (!ads) {
    const { cluster, kinds = [{}] } = policy;
    ads = kinds.map((facts) => {
      return new LiveAd([...factEntries(facts), ["Grid", cluster], ["ClusterName", cluster]]).ad;
    });
    known.set(policy, ads);
  }
  return ads;
}
