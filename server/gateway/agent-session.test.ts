import { describe, expect, test } from "vitest";
import type { AttemptId } from "@/core/engine/ids";
import type { Assignment, Exchange } from "@/core/protocol/agent";
import { AgentSession } from "./agent-session";

const run = "0198c0de-0000-7000-8000-000000000000";
const agent = "0198c0de-0000-7000-8000-00000000000a";
const id = (task: number): AttemptId => `${run}.${task}.1`;
const sha256 = "cd".repeat(32);

function assignment(task: number): Assignment {
  return {
    attempt: id(task),
    epoch: 1,
    taskName: String(task),
    runName: "run",
    taskIndex: task,
    command: { is: "exec", executable: "true", arguments: [] },
    inputs: [{ name: "in", sha256, size: 1, kept: false }],
    outputs: [],
    environment: [],
    limits: { wallSeconds: 1, memoryBytes: 1, outputBytes: 5, streamBytes: 7 },
  };
}

function exchange(held: number[], ended: number[] = []): Exchange {
  return {
    agent,
    held: held.map((task) => ({ attempt: id(task), epoch: 1 })),
    started: [],
    ended: ended.map((task) => ({ attempt: id(task), epoch: 1, outcome: { is: "cancelled" }, usage: {} })),
    output: [],
    goodbye: false,
    waitMs: 0,
  };
}

function open(): AgentSession {
  const host = { name: "h", os: "linux", arch: "x64", cpus: 1, cpuModel: "", memoryBytes: 0 };
  return new AgentSession({ id: agent, cluster: "local", host, slots: 2 });
}

const assigned = (session: AgentSession, now: number) => session.reply(now)?.assign.map(({ attempt }) => attempt) ?? [];

describe("what an agent is told", () => {
  test("an assignment is sent until it is in the inventory", () => {
    const session = open();
    session.tell({ is: "assign", agent, assignment: assignment(1) });
    expect(assigned(session, 0)).toEqual([id(1)]);
    session.hear(exchange([]), 1);
    expect(assigned(session, 1)).toEqual([]);
    session.hear(exchange([]), 100);
    expect(assigned(session, 100)).toEqual([id(1)]);
    session.hear(exchange([1]), 300);
    expect(session.reply(300)).toBeUndefined();
  });

  test("a word without effect is repeated soon, then once a second", () => {
    const session = open();
    session.hear(exchange([1]), 0);
    session.tell({ is: "cancel", agent, attempt: id(1) });
    const sentAt: number[] = [];
    for (let now = 0; now <= 2500; now += 100) if (session.reply(now)) sentAt.push(now);
    expect(sentAt).toEqual([0, 100, 200, 1200, 2200]);
    expect(session.nextRepeat(2500)).toBe(700);
  });

  test("a cancel is not repeated once the attempt has ended", () => {
    const session = open();
    session.hear(exchange([1]), 0);
    session.tell({ is: "cancel", agent, attempt: id(1) });
    expect(session.reply(0)?.cancel).toEqual([id(1)]);
    session.hear(exchange([1], [1]), 1);
    expect(session.reply(1)).toBeUndefined();
  });

  test("a cancel goes with the assignment that has not arrived yet", () => {
    const session = open();
    session.tell({ is: "assign", agent, assignment: assignment(1) });
    session.tell({ is: "cancel", agent, attempt: id(1) });
    expect(session.reply(0)).toMatchObject({ assign: [{ attempt: id(1) }], cancel: [id(1)] });
  });

  test("an acknowledgement is sent until the attempt is gone from the inventory", () => {
    const session = open();
    session.hear(exchange([1], [1]), 0);
    session.tell({ is: "acknowledge", agent, attempt: id(1) });
    expect(session.reply(0)?.acknowledge).toEqual([id(1)]);
    session.hear(exchange([1], [1]), 200);
    expect(session.reply(200)?.acknowledge).toEqual([id(1)]);
    expect(session.hear(exchange([]), 400).isSurprising).toBe(false);
    expect(session.reply(400)).toBeUndefined();
  });

  test("an attempt that is discarded before it was sent is never sent", () => {
    const session = open();
    session.tell({ is: "assign", agent, assignment: assignment(1) });
    session.tell({ is: "discard", agent, attempt: id(1) });
    expect(session.reply(0)).toBeUndefined();
  });

  test("an agent that was given up hears only that", () => {
    const session = open();
    session.tell({ is: "assign", agent, assignment: assignment(1) });
    session.tell({ is: "refuse-agent", agent });
    expect(session.reply(0)).toMatchObject({ refused: true, assign: [] });
  });
});

describe("what the engine is told", () => {
  test("an end is told once for each connection to the engine", () => {
    const session = open();
    const first = session.hear(exchange([1], [1]), 0).ended;
    expect(first.map(({ attempt }) => attempt)).toEqual([id(1)]);
    session.noteForwarded([id(1)]);
    expect(session.hear(exchange([1], [1]), 1).ended).toEqual([]);
    session.forgetForwarded();
    expect(session.hear(exchange([1], [1]), 2).ended).toHaveLength(1);
  });

  test("an attempt nobody assigned here, or one that vanished, is a surprise", () => {
    const session = open();
    session.tell({ is: "assign", agent, assignment: assignment(1) });
    expect(session.hear(exchange([1]), 0).isSurprising).toBe(false);
    expect(session.hear(exchange([1, 2]), 1).isSurprising).toBe(true);
    expect(session.hear(exchange([1, 2]), 2).isSurprising).toBe(false);
    expect(session.hear(exchange([2]), 3).isSurprising).toBe(true);
  });
});

test("an agent reads the inputs of its attempts, and only as long as they are its own", () => {
  const session = open();
  expect(session.mayRead(sha256)).toBe(false);
  session.tell({ is: "assign", agent, assignment: assignment(1) });
  expect(session.mayRead(sha256)).toBe(true);
  expect(session.streamLimit(id(1))).toBe(7);
  expect(session.largestOutput).toBe(5);
  session.hear(exchange([1], [1]), 0);
  session.tell({ is: "acknowledge", agent, attempt: id(1) });
  expect(session.mayRead(sha256)).toBe(false);
});
