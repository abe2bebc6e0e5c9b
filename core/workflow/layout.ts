/**
 * Where to draw each task: top to bottom by level, in linear time but for sorting, so that a graph of a hundred
 * thousand tasks is laid out while one waits. Three steps, after Sugiyama:
 *
 *   1. layers: the level of a task is its longest path from a start (levels.ts);
 *   2. order: a few sweeps sort each layer by where its neighbours stand (barycentre);
 *   3. places: each layer moves as near to its neighbours as its order and the spacing allow (spread.ts).
 *
 * A layer too wide to be read as a line (a bag of 200) is wrapped into a block; tasks without any edge get a
 * block of their own below.
 */
import { degree } from "./adjacency";
import { levelsOf } from "./levels";
import { spread } from "./spread";
import type { Adjacency, Workflow } from "./workflow";

/** The size of a task as drawn, and the room between two. */
export const taskBox = { width: 160, height: 56, gapX: 32, gapY: 72 } as const;

export interface Layout {
  /** Top left corners of boxes of the size of `taskBox`; all boxes lie between 0 and `width`, 0 and `height`. */
  x: Float32Array;
  y: Float32Array;
  width: number;
  height: number;
}

type Graph = Pick<Workflow, "taskCount" | "successors" | "predecessors">;

const stepX = taskBox.width + taskBox.gapX;
const stepY = taskBox.height + taskBox.gapY;
/** The rows of a block belong together, and have no edges between them that need room. */
const blockStepY = taskBox.height + taskBox.gapX;
/** Layers with more tasks than this are wrapped, into blocks about this much wider than high. */
const widestLine = 14;
const blockAspect = 1.6;
const orderSweeps = 4;
const placeSweeps = 4;

export function layoutWorkflow(graph: Graph): Layout {
  const { layers, isolated } = layersOf(graph);
  orderLayers(graph, layers);
  const x = new Float32Array(graph.taskCount);
  const y = new Float32Array(graph.taskCount);
  let top = 0;
  for (const layer of layers) {
    placeCentred(layer, 0, x);
    top = placeRows(layer, top, y);
  }
  for (let sweep = 0; sweep < placeSweeps; sweep++) {
    const downwards = sweep % 2 === 0;
    const neighbours = downwards ? graph.predecessors : graph.successors;
    inDirection(layers, downwards, (layer) => moveTowards(layer, neighbours, x));
  }
  const middle = (smallest(x) + largest(x)) / 2;
  placeCentred(isolated, middle, x);
  placeRows(isolated, top, y);
  return shiftToOrigin(x, y);
}

function layersOf(graph: Graph): { layers: Uint32Array[]; isolated: Uint32Array } {
  const { level, levelCount } = levelsOf(graph);
  // A bag without any edge is one layer; only beside a graph are tasks without edges set apart.
  const connected = graph.successors.targets.length > 0;
  const layers = Array.from({ length: levelCount }, (): number[] => []);
  const isolated: number[] = [];
  for (let task = 0; task < graph.taskCount; task++) {
    const alone = degree(graph.predecessors, task) === 0 && degree(graph.successors, task) === 0;
    if (connected && alone) isolated.push(task);
    else layers[level[task]!]!.push(task);
  }
  return {
    layers: layers.filter((layer) => layer.length > 0).map((layer) => Uint32Array.from(layer)),
    isolated: Uint32Array.from(isolated),
  };
}

/** Sorts every layer in place. Positions count from 0 to 1, so that layers of any width can be compared. */
function orderLayers(graph: Graph, layers: readonly Uint32Array[]): void {
  const position = new Float64Array(graph.taskCount);
  const number = (layer: Uint32Array): void => {
    layer.forEach((task, i) => {
      position[task] = (i + 0.5) / layer.length;
    });
  };
  const wish = new Float64Array(graph.taskCount);
  layers.forEach(number);
  for (let sweep = 0; sweep < orderSweeps; sweep++) {
    const downwards = sweep % 2 === 0;
    const neighbours = downwards ? graph.predecessors : graph.successors;
    inDirection(layers, downwards, (layer) => {
      for (const task of layer) wish[task] = meanOfNeighbours(task, neighbours, position) ?? position[task]!;
      layer.sort((a, b) => wish[a]! - wish[b]! || position[a]! - position[b]!);
      number(layer);
    });
  }
}

function inDirection(layers: readonly Uint32Array[], downwards: boolean, visit: (layer: Uint32Array) => void): void {
  for (let l = 0; l < layers.length; l++) visit(layers[downwards ? l : layers.length - 1 - l]!);
}

function meanOfNeighbours(task: number, neighbours: Adjacency, of: ArrayLike<number>): number | undefined {
  const start = neighbours.offsets[task]!;
  const end = neighbours.offsets[task + 1]!;
  if (start === end) return undefined;
  let sum = 0;
  for (let e = start; e < end; e++) sum += of[neighbours.targets[e]!]!;
  return sum / (end - start);
}

function columnsOf(layer: Uint32Array): number {
  if (layer.length <= widestLine) return Math.max(1, layer.length);
  return Math.ceil(Math.sqrt((layer.length * blockAspect * blockStepY) / stepX));
}

/** Rows of a line or a block, from `top` down; returns where the next layer starts. */
function placeRows(layer: Uint32Array, top: number, y: Float32Array): number {
  const columns = columnsOf(layer);
  layer.forEach((task, i) => {
    y[task] = top + Math.floor(i / columns) * blockStepY;
  });
  const rows = Math.ceil(layer.length / columns);
  return top + (rows - 1) * blockStepY + stepY;
}

/** Columns of a line or a block around `middle`; a last row that is not full is centred as well. */
function placeCentred(layer: Uint32Array, middle: number, x: Float32Array): void {
  const columns = columnsOf(layer);
  const full = layer.length - (layer.length % columns);
  layer.forEach((task, i) => {
    const inRow = i < full ? columns : layer.length - full;
    x[task] = middle + ((i % columns) - (inRow - 1) / 2) * stepX;
  });
}

function moveTowards(layer: Uint32Array, neighbours: Adjacency, x: Float32Array): void {
  const wishes = Float64Array.from(layer, (task) => meanOfNeighbours(task, neighbours, x) ?? x[task]!);
  if (layer.length > widestLine) {
    let sum = 0;
    for (const wish of wishes) sum += wish;
    placeCentred(layer, sum / wishes.length, x);
    return;
  }
  spread(wishes, stepX).forEach((place, i) => {
    x[layer[i]!] = place;
  });
}

function shiftToOrigin(x: Float32Array, y: Float32Array): Layout {
  if (x.length === 0) return { x, y, width: 0, height: 0 };
  const left = smallest(x);
  for (let task = 0; task < x.length; task++) x[task]! -= left;
  return { x, y, width: largest(x) + taskBox.width, height: largest(y) + taskBox.height };
}

function smallest(values: Float32Array): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}
