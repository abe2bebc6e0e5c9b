import { describe, expect, it } from "vitest";
import { type AttemptId, attemptId } from "@/core/engine/ids";
import { Timeline } from "@/core/simulation/timeline";
import { type AgentsEngine, SimulatedAgent } from "./agent";
import type { Assigned } from "./engine-driver";
import { FileCache } from "./file-cache";
import { gridOf } from "./grid-for-tests";
import { SimulatedHost } from "./host";
import { Link } from "./link";
import { stream } from "./streams";

const cluster = gridOf([
  {
    name: "c",
    grid: "EGEE",
    distance: 2,
    hosts: [{ name: "h", speed: 2, memoryMb: 512, arch: "X86_64", os: "LINUX", attributes: { Gpus: 1 } }],
  },
]).clusters[0]!;

/** An agent with one slot and one second to the engine; tasks take ten seconds. What it says is written down. */
function stage() {
  const timeline = new Timeline();
  const said: string[] = [];
  const heard = (what: string) => said.push(`${timeline.now / 1000} ${what}`);
  const driver: AgentsEngine = {
    joined: ({ facts }) => heard(`joined ${JSON.stringify(facts)}`),
    left: () => heard("left"),
    started: (_agent, { task }) => heard(`started ${task}`),
    ended: (_agent, { task }, outcome) => heard(`ended ${task} ${outcome.is}`),
  };
  const listener = { becameAvailable: () => {}, becameUnavailable: () => {} };
  const host = new SimulatedHost(timeline, cluster.hosts[0]!, cluster, 1, stream(1), listener);
  const link = new Link(timeline, 0, Number.POSITIVE_INFINITY);
  const agent = new SimulatedAgent("a", host, {
    timeline,
    driver,
    cluster: "c",
    latencyMs: 1000,
    link,
    cache: new FileCache(link, true),
    job: () => ({ seconds: 20, inputs: [], outputs: [], random: stream(1) }),
    entered: () => {},
    idle: undefined,
    endsItself: () => {},
  });
  const passed = () => {
    while (timeline.step()) {}
    return said.slice(1);
  };
  return { agent, timeline, said, passed };
}

const idOf = (task: number): AttemptId => attemptId({ run: "r", task, ordinal: 1 });
const assigned = (task: number): Assigned => ({ id: idOf(task), run: "r", task, ordinal: 1, epoch: 1 });

describe("a simulated agent", () => {
  it("tells what expressions may ask of its host", () => {
    const { said, passed } = stage();
    passed();
    expect(JSON.parse(said[0]!.replace("1 joined ", ""))).toEqual({
      Name: "h",
      Cpus: 1,
      Speed: 2,
      Cluster: "c",
      Grid: "EGEE",
      Site: "c",
      Distance: 2,
      Memory: 512,
      Arch: "X86_64",
      OpSys: "LINUX",
      Gpus: 1,
    });
  });

  it("runs one attempt after the other in its slot", () => {
    const { agent, passed } = stage();
    agent.receive(assigned(1));
    agent.receive(assigned(2));
    expect(passed()).toEqual(["2 started 1", "12 ended 1 succeeded", "12 started 2", "22 ended 2 succeeded"]);
  });

  it("stops what it is told to stop, reports it if asked, and goes on with the next", () => {
    const { agent, timeline, passed } = stage();
    for (const task of [1, 2, 3]) agent.receive(assigned(task));
    timeline.after(4000, () => agent.stop(idOf(1), true));
    timeline.after(4000, () => agent.stop(idOf(2), false));
    expect(passed()).toEqual([
      "2 started 1",
      "6 ended 1 cancelled",
      "6 started 2",
      "6 started 3",
      "16 ended 3 succeeded",
    ]);
  });

  it("does nothing more once it is gone, and says goodbye if it can", () => {
    const { agent, timeline, passed } = stage();
    agent.receive(assigned(1));
    timeline.after(4000, () => agent.end(true));
    timeline.after(5000, () => agent.receive(assigned(2)));
    timeline.after(5000, () => agent.stop(idOf(1), true));
    expect(passed()).toEqual(["2 started 1", "5 left"]);
  });
});
