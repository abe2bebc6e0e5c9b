/**
 * How much a grid node (a cluster or a single host) is to be preferred over others: the default rank of a task that
 * gives none (GRAND, section F.4.3, "Mapping").
 *
 * The thesis adds up distance, link capacity, cpu and memory as they are, with 0.25 each. Taken literally a far node
 * would be better than a near one, and Mbit/s, MFlops and MBytes would drown the distance. So each criterion becomes a
 * share between 0 and 1, the best node's being 1, and preference is the weighted mean of the shares. Shares are parts of
 * the best value, not places between worst and best: 1023 MBytes beside 1024 are nearly as good, not nothing.
 */
export interface NodeFacts {
  /** From where the files are: 0 the same site, 1 the same region, 2 abroad. */
  distance?: number | undefined;
  /** Of the link, in one unit for all nodes. */
  capacity?: number | undefined;
  /** Σ cpus · power, in one unit for all nodes; `powerOf` adds it up for a cluster of different machines. */
  power?: number | undefined;
  /** The part of it that is busy, 1 for all of it; more where work queues up. */
  load?: number | undefined;
  /** Of a machine in the mean, in one unit for all nodes. */
  memory?: number | undefined;
}

export const criteria = ["distance", "capacity", "cpu", "memory"] as const;
export type Criterion = (typeof criteria)[number];
export type Weights = Readonly<Record<Criterion, number>>;

export const equalWeights: Weights = { distance: 1, capacity: 1, cpu: 1, memory: 1 };

/** An idle node is as good as one ten times as powerful that is fully busy, and not infinitely better. */
export const loadFloor = 0.1;
const farthest = 2;
/** Far above any capacity, power or memory in any unit, and far below where adding up would overflow. */
const sensible = 1e24;

/** What the shares are parts of: the best value of each criterion among the nodes, and their mean share. */
export interface Scale {
  readonly best: Weights;
  /** Taken for a node that does not tell, so that keeping silent neither pays nor costs. */
  readonly meanShare: Weights;
}

export interface PreferenceTerm {
  criterion: Criterion;
  /** As measured (cpu: power by load); absent where the node does not tell. */
  value?: number;
  /** 0 to 1. */
  share: number;
  /** All weights together make 1. */
  weight: number;
  /** share · weight. */
  points: number;
}

export function powerOf(machines: readonly { cpus: number; power: number }[]): number {
  return machines.reduce((sum, { cpus, power }) => sum + cpus * power, 0);
}

/** A sentence on what is wrong with weights a person gave, if anything is. */
export function weightsProblem(weights: Weights): string | undefined {
  const wrong = criteria.find((criterion) => !(weights[criterion] >= 0 && weights[criterion] <= sensible));
  if (wrong) return `The weight of ${wrong} must be 0 or a positive number.`;
  if (criteria.every((criterion) => weights[criterion] === 0)) return "At least one weight must be above 0.";
  return undefined;
}

/** The preference of each node among these, 0 to 1. */
export function preferences(nodes: readonly NodeFacts[], weights: Weights = equalWeights): Float64Array {
  const scale = scaleOf(nodes);
  const parts = normalised(weights);
  const result = new Float64Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) result[i] = sumOfPoints(nodes[i]!, scale, parts);
  return result;
}

/** For one node that changed or joined, without looking at all the others again. */
export function preferenceOf(node: NodeFacts, scale: Scale, weights: Weights = equalWeights): number {
  return sumOfPoints(node, scale, normalised(weights));
}

/** The terms whose points add up to the node's preference. */
export function explainPreference(node: NodeFacts, scale: Scale, weights: Weights = equalWeights): PreferenceTerm[] {
  const parts = normalised(weights);
  return criteria.map((criterion) => {
    const value = criterion === "distance" ? told(node.distance) : merit(node, criterion);
    const share = shareOf(node, criterion, scale);
    const weight = parts[criterion];
    return { criterion, ...(value === undefined ? {} : { value }), share, weight, points: share * weight };
  });
}

export function scaleOf(nodes: readonly NodeFacts[]): Scale {
  const best = { distance: 1, capacity: 0, cpu: 0, memory: 0 };
  const meanShare = { distance: 0, capacity: 0, cpu: 0, memory: 0 };
  for (const criterion of criteria) {
    let known = 0;
    let sum = 0;
    for (const node of nodes) {
      const value = merit(node, criterion);
      if (value === undefined) continue;
      known += 1;
      sum += value;
      if (value > best[criterion]) best[criterion] = value;
    }
    if (known > 0 && best[criterion] > 0) meanShare[criterion] = sum / known / best[criterion];
  }
  return { best, meanShare };
}

function sumOfPoints(node: NodeFacts, scale: Scale, parts: Weights): number {
  let sum = 0;
  for (const criterion of criteria) sum += shareOf(node, criterion, scale) * parts[criterion];
  return sum;
}

function shareOf(node: NodeFacts, criterion: Criterion, { best, meanShare }: Scale): number {
  const value = merit(node, criterion);
  if (value === undefined) return meanShare[criterion];
  // A node that outdoes the scale, having changed since, has the best share there is.
  return best[criterion] > 0 ? Math.min(1, value / best[criterion]) : 0;
}

/** More is better, for each of them. */
function merit(node: NodeFacts, criterion: Criterion): number | undefined {
  switch (criterion) {
    case "distance": {
      const distance = told(node.distance);
      return distance === undefined ? undefined : 1 - Math.min(distance, farthest) / farthest;
    }
    case "cpu": {
      const power = told(node.power);
      return power === undefined ? undefined : power / Math.max(told(node.load) ?? 1, loadFloor);
    }
    default:
      return told(node[criterion]);
  }
}

/** Facts come from hosts: what is no sensible number was not told. */
function told(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 && value <= sensible ? value : undefined;
}

function normalised(weights: Weights): Weights {
  const usable = criteria.map((criterion) => told(weights[criterion]) ?? 0);
  const sum = usable.reduce((a, b) => a + b, 0);
  const [distance = 0, capacity = 0, cpu = 0, memory = 0] = usable.map((weight) => (sum > 0 ? weight / sum : 0.25));
  return { distance, capacity, cpu, memory };
}
