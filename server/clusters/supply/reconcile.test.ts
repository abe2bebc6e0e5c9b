import { describe, expect, it } from "vitest";
import type { ClusterJob } from "../driver";
import type { AskedAgent } from "./agent-rows";
import { defaultPollRules, type Poll, reconcile } from "./reconcile";

const now = 1_000_000_000;

function agent(id: string, more: Partial<AskedAgent> = {}): AskedAgent {
  const unheard = { expiresAt: null, lastSeenAt: null, endedAt: null, endReason: null };
  return {
    ...{ id, cluster: "hpc", owner: "someone", account: null, state: "expected", job: null, jobState: null },
    ...{ attempt: null, askedAt: now - 1000, ...unheard, ...more },
  };
}

function job(agentId: string, state: ClusterJob["state"], more: Partial<ClusterJob> = {}): ClusterJob {
  return { job: `job-${agentId}`, name: `gridloom-${agentId}`, agent: agentId, state, ...more };
}

function poll(agents: AskedAgent[], jobs: ClusterJob[], more: Partial<Poll> = {}) {
  return reconcile({
    ...{ now, agents, jobs, unsent: new Set<string>(), unwanted: new Map<string, string>(), rules: defaultPollRules },
    ...{
      isOurs: (id: string) => id.startsWith("our"),
      since: new Map<string, { state: string; at: number }>(),
      ...more,
    },
  });
}

describe("a poll", () => {
  it("finds the job of a crash between submission and commit by its name", () => {
    const { seen, ended, cancel } = poll([agent("our1")], [job("our1", "queued", { job: "77" })]);
    expect(seen).toEqual([{ agent: "our1", job: "77", state: "queued" }]);
    expect(ended).toEqual([]);
    expect(cancel).toEqual([]);
  });

  it("cancels what is ours and nobody's, and leaves another portal's alone", () => {
    const jobs = [job("our9", "running"), job("other", "running"), job("our8", "completed")];
    expect(poll([], jobs)).toEqual({ seen: [], ended: [], cancel: ["job-our9"] });
  });

  it("cancels a second job of the same agent", () => {
    const jobs = [job("our1", "running", { job: "78" }), job("our1", "queued", { job: "77" })];
    const { seen, cancel } = poll([agent("our1", { job: "77" })], jobs);
    expect(seen).toEqual([{ agent: "our1", job: "77", state: "queued" }]);
    expect(cancel).toEqual(["78"]);
  });

  it("waits a while for a job that was submitted in the moment of a crash, then closes its agent", () => {
    expect(poll([agent("our1")], []).ended).toEqual([]);
    const late = agent("our1", { askedAt: now - defaultPollRules.traceMs - 1 });
    expect(poll([late], []).ended).toMatchObject([{ agent: "our1", state: "gone" }]);
    expect(poll([late], [], { unsent: new Set(["our1"]) }).ended).toEqual([]);
  });

  it("closes an agent whose job the cluster forgot, unless the agent still speaks", () => {
    const since = new Map<string, { state: string; at: number }>();
    const known = agent("our1", { job: "77", state: "joined", lastSeenAt: now - 5000 });
    expect(poll([known], [], { since }).ended).toEqual([]);
    expect(poll([known], [], { since, now: now + 5000 }).ended).toEqual([]);
    expect(poll([known], [], { since, now: now + 60_000 }).ended).toMatchObject([{ agent: "our1", state: "gone" }]);
  });

  it.each([
    ["completed", {}, "Its job ended."],
    ["failed", { exitCode: 3 }, "Its job failed (exit code 3)."],
    ["cancelled-by-owner", {}, "Its job was cancelled on the cluster."],
    ["node-lost", { reason: "NODE_FAIL" }, "The cluster lost the host its job ran on (NODE_FAIL)."],
    ["timed-out", {}, "Its job reached its time limit."],
  ] as const)("tells how a job ended: %s", (state, more, reason) => {
    expect(poll([agent("our1")], [job("our1", state, more)]).ended).toEqual([{ agent: "our1", state, reason }]);
  });

  it("takes back a job that is suspended or held for too long, not before", () => {
    for (const state of ["suspended", "held"] as const) {
      const soon = poll([agent("our1")], [job("our1", state, { since: now - 60_000 })]);
      expect(soon).toEqual({ seen: [{ agent: "our1", job: "job-our1", state }], ended: [], cancel: [] });
      const late = poll([agent("our1")], [job("our1", state, { since: now - 700_000 })]);
      expect(late.cancel).toEqual(["job-our1"]);
      expect(late.ended).toMatchObject([{ agent: "our1", state }]);
    }
  });

  it("takes back what nobody needs, submitted or not", () => {
    const unwanted = new Map([
      ["our1", "Nothing is left."],
      ["our2", "Nothing is left."],
    ]);
    const { cancel, ended } = poll([agent("our1"), agent("our2")], [job("our1", "queued")], {
      unwanted,
      unsent: new Set(["our2"]),
    });
    expect(cancel).toEqual(["job-our1"]);
    expect(ended.map(({ agent: id, state }) => [id, state])).toEqual([
      ["our1", "cancelled"],
      ["our2", "cancelled"],
    ]);
  });

  it("ends a job whose agent never came, or left and whose job went on", () => {
    const running = job("our1", "running", { since: now - 400_000 });
    expect(poll([agent("our1")], [running]).ended[0]?.reason).toMatch(/may not reach the portal/);
    expect(poll([agent("our1", { state: "joined" })], [running]).ended).toEqual([]);
    const left = agent("our1", { state: "left", lastSeenAt: now - 200_000 });
    expect(poll([left], [running]).cancel).toEqual(["job-our1"]);
  });
});
