/**
 * Groups back into nested loops. In the model every group has its own loops, and its numbering says with which others it
 * takes turns; here groups that take turns come into one body again, so that reading it numbers them the same way.
 */
import type { Application, Loop, TaskGroup } from "@/core/workflow/application";
import { denseStrides, loopSize, productSize } from "@/core/workflow/loops";

export type Block = { is: "task"; group: TaskGroup } | { is: "loop"; loop: Loop; body: Block[] };

interface Numbered {
  group: TaskGroup;
  loops: readonly Loop[];
  first: number;
  strides: readonly number[];
}

/** Nothing if the numbering is not one that loops can give. */
export function blocksOf(application: Application): Block[] | undefined {
  let next = 0;
  const groups: Numbered[] = [];
  for (const group of application.groups) {
    const { first, strides } = group.numbering ?? { first: next, strides: denseStrides(group.loops) };
    const size = productSize(group.loops);
    next += size;
    if (size > 0) groups.push({ group, loops: group.loops, first, strides });
  }
  return nest(groups, 0);
}

function nest(groups: readonly Numbered[], start: number): Block[] | undefined {
  const blocks: Block[] = [];
  let next = start;
  for (let index = 0; index < groups.length; ) {
    const { group, loops, first, strides } = groups[index]!;
    if (first !== next) return undefined;
    const loop = loops[0];
    if (!loop) {
      blocks.push({ is: "task", group });
      next += 1;
      index += 1;
      continue;
    }
    // All that is created in one turn of the loop: as many tasks as its stride says.
    const perTurn = strides[0]!;
    const body: Numbered[] = [];
    let created = 0;
    while (created < perTurn) {
      const member = groups[index];
      if (!member || !isSameLoop(member.loops[0], loop) || member.strides[0] !== perTurn) return undefined;
      const inner = member.loops.slice(1);
      body.push({ group: member.group, loops: inner, first: member.first, strides: member.strides.slice(1) });
      created += productSize(inner);
      index += 1;
    }
    const nested = created === perTurn ? nest(body, next) : undefined;
    if (!nested) return undefined;
    blocks.push({ is: "loop", loop, body: nested });
    next += perTurn * loopSize(loop);
  }
  return blocks;
}

function isSameLoop(a: Loop | undefined, b: Loop): boolean {
  if (!a || a.variable !== b.variable) return false;
  if (a.values === b.values) return true;
  if (Array.isArray(a.values)) {
    const { values } = b;
    return Array.isArray(values) && a.values.length === values.length && a.values.every((v, i) => v === values[i]);
  }
  if (Array.isArray(b.values)) return false;
  return a.values.from === b.values.from && a.values.to === b.values.to && a.values.step === b.values.step;
}
