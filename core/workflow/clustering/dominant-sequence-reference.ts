/**
 * The rules of `dominant-sequence.ts` once more, for its test: as they are told, everything computed anew at each step,
 * the tasks to take along tried one by one.
 */
import type { TestGraph } from "./graph-for-tests";

interface Merge {
  cluster: number[];
  start: number;
  along: number[];
}

/** Clusters as lists of tasks in the order they compute them. */
export function naiveDominantSequence(
  { weights, edges }: TestGraph,
  granularity = Number.POSITIVE_INFINITY,
): number[][] {
  const tasks = weights.map((_, task) => task);
  const into = (task: number) => edges.filter(([, to]) => to === task);
  const outOf = (task: number) => edges.filter(([from]) => from === task);
  const finish = new Map<number, number>();
  let clusters: number[][] = [];

  const clusterOf = (task: number) => clusters.find((cluster) => cluster.includes(task));
  const endOf = (cluster: readonly number[]) => (cluster.length === 0 ? 0 : finish.get(cluster.at(-1)!)!);
  const arrivals = (task: number) =>
    into(task)
      .filter(([from]) => finish.has(from))
      .map(([from, , weight]) => ({ from, cluster: clusterOf(from)!, at: finish.get(from)! + weight }));
  const top = (task: number) => Math.max(0, ...arrivals(task).map(({ at }) => at));
  const bottom = (task: number): number =>
    weights[task]! + Math.max(0, ...outOf(task).map(([, to, weight]) => weight + bottom(to)));
  const path = (task: number) => top(task) + bottom(task);
  const first = (candidates: number[]) =>
    candidates.sort((a, b) => path(b) - path(a) || outOf(b).length - outOf(a).length || a - b)[0];
  /** The latest data from outside the cluster. */
  const latestOutside = (task: number, cluster: number[]) =>
    Math.max(0, ...arrivals(task).flatMap((arrival) => (arrival.cluster === cluster ? [] : [arrival.at])));
  /** The cluster the latest data comes from; of several, the one that was examined first. */
  const examined: number[] = [];
  const topCluster = (task: number) =>
    arrivals(task)
      .sort((a, b) => b.at - a.at || examined.indexOf(a.from) - examined.indexOf(b.from))
      .at(0)?.cluster;

  const keepsWarranty = (task: number, { cluster, start }: Merge, head: number | undefined) => {
    if (head === undefined || path(head) <= path(task) || topCluster(head) !== cluster) return true;
    const gains = Math.max(endOf(cluster), latestOutside(head, cluster)) < top(head);
    return !gains || start + weights[task]! < top(head);
  };

  const merges = (task: number): Merge[] => {
    const cluster = topCluster(task);
    if (!cluster || cluster.length >= granularity) return [];
    const others = arrivals(task)
      .filter((arrival) => arrival.cluster !== cluster)
      .sort((a, b) => b.at - a.at || a.from - b.from);
    const found: Merge[] = [];
    for (let count = 0; count <= others.length && cluster.length + count + 1 <= granularity; count++) {
      if (count > 0 && outOf(others[count - 1]!.from).length > 1) break;
      const alone = cluster.length === 1 && outOf(cluster[0]!).length === 1 && count > 0;
      const along = others.slice(0, count).map(({ from }) => from);
      if (alone) along.push(cluster[0]!);
      const startOf = (moved: number) =>
        Math.max(0, ...arrivals(moved).map((a) => (a.cluster === cluster ? finish.get(a.from)! : a.at)));
      along.sort((a, b) => startOf(a) - startOf(b) || a - b);
      let end = alone ? 0 : endOf(cluster);
      for (const moved of along) end = Math.max(end, startOf(moved)) + weights[moved]!;
      const next = others[count]?.at ?? 0;
      found.push({ cluster, start: Math.max(end, next), along });
      // From here on the cluster only ends later.
      if (end >= next) break;
    }
    return found;
  };

  while (examined.length < tasks.length) {
    const known = new Set(examined);
    const waiting = tasks.filter((task) => !known.has(task));
    const free = waiting.filter((task) => into(task).every(([from]) => known.has(from)));
    const head = first(waiting.filter((task) => !free.includes(task) && into(task).some(([from]) => known.has(from))));
    const task = first(free)!;
    const all = merges(task);
    const least = Math.min(...all.map(({ start }) => start));
    const choices = [all.filter(({ start }) => start === least).at(-1), all[0]];
    const merge = choices.find((choice) => choice && choice.start < top(task) && keepsWarranty(task, choice, head));
    let start = top(task);
    if (merge) {
      const starts = merge.along.map((moved) =>
        Math.max(0, ...arrivals(moved).map((a) => (a.cluster === merge.cluster ? finish.get(a.from)! : a.at))),
      );
      for (const moved of merge.along) {
        const from = clusterOf(moved)!;
        from.splice(from.indexOf(moved), 1);
      }
      merge.along.forEach((moved, i) => {
        finish.set(moved, Math.max(endOf(merge.cluster), starts[i]!) + weights[moved]!);
        merge.cluster.push(moved);
      });
      merge.cluster.push(task);
      start = merge.start;
    } else clusters.push([task]);
    finish.set(task, start + weights[task]!);
    clusters = clusters.filter((cluster) => cluster.length > 0);
    examined.push(task);
  }
  return clusters;
}
