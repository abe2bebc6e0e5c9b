/**
 * Handing out: as long as some run has a ready task and some agent it may use has a free slot, bring the two
 * together. Runs take turns task by task, the one that waited longest first, over both classes; within a
 * cluster so do agents, which spreads the work. Each decision costs the same however many tasks are queued,
 * and finding nothing to do costs the number of clusters: no scan over tasks, runs or agents.
 */
import { type Agent, allows, type Cluster, type Core, type Flight, type Run, type RunClass, refOf } from "./state";
import { TaskState } from "./task-state";

export function dispatch(core: Core): void {
  for (;;) {
    const choice = choose(core);
    if (!choice) return;
    const { run, agent } = choice;
    leaveLines(choice.runClass, choice.cluster);
    handOut(core, run, run.tasks.ready.first(), agent);
    core.wake(run);
    core.offer(agent);
  }
}

interface Choice {
  runClass: RunClass;
  run: Run;
  cluster: Cluster;
  agent: Agent;
}

function choose(core: Core): Choice | undefined {
  let best: Choice | undefined;
  for (const runClass of core.classes) {
    const run = firstRun(runClass);
    if (!run || (best && best.run.stamp < run.stamp)) continue;
    const cluster = firstCluster(core, runClass.admin);
    const agent = cluster?.free.peek();
    if (cluster && agent) best = { runClass, run, cluster, agent };
  }
  return best;
}

/** The head of the line. Runs that lost their ready tasks while they stood in it fall out here. */
function firstRun(runClass: RunClass): Run | undefined {
  for (;;) {
    const run = runClass.line.peek();
    if (!run || (run.phase.is === "going" && run.tasks.ready.size > 0)) return run;
    runClass.line.shift();
    run.stamp = 0;
  }
}

function firstCluster(core: Core, admin: boolean): Cluster | undefined {
  for (const cluster of core.clusters.values()) {
    if (allows(cluster, admin) && firstAgent(core, cluster)) return cluster;
  }
  return undefined;
}

/** Agents that filled up, left or moved while they stood in the line fall out here. */
function firstAgent(core: Core, cluster: Cluster): Agent | undefined {
  for (;;) {
    const agent = cluster.free.peek();
    if (!agent) return undefined;
    if (agent.offeredIn === cluster && cluster.members.has(agent) && core.freeSlots(agent) > 0) return agent;
    cluster.free.shift();
    if (agent.offeredIn === cluster) agent.offeredIn = undefined;
  }
}

function leaveLines(runClass: RunClass, cluster: Cluster): void {
  const run = runClass.line.shift();
  if (run) run.stamp = 0;
  const agent = cluster.free.shift();
  if (agent) agent.offeredIn = undefined;
}

/** The intent is appended first; the ports hold the message back until it is committed. */
function handOut(core: Core, run: Run, task: number, agent: Agent): void {
  if (agent.mode.is !== "joined") throw new Error(`agent ${agent.id} has not joined`);
  const { cluster, host } = agent.mode;
  const at = core.now();
  const ordinal = run.tasks.ordinals[task]! + 1;
  run.tasks.ordinals[task] = ordinal;
  const { epoch } = core.settings;
  const flight: Flight = { run, task, ordinal, epoch, agent, host, phase: { is: "sent", at } };
  run.inFlight.set(task, flight);
  agent.open.add(flight);
  run.told = "";
  const attempt = refOf(flight);
  core.ports.journal.append({ is: "attempt", attempt, agent: agent.id, cluster: cluster.id, host, at });
  core.move(run, task, TaskState.running);
  core.send(agent.id, { is: "assign", attempt, epoch });
}
