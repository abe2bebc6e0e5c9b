/** Nobody starves: the bound that fair-share.ts tells, for any shares, however many runs the others have. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptId } from "./ids";
import { agentUuid, plan, Stage, succeeded, testId } from "./reactor-for-tests";

const secondMs = 1000;

/** One slot, tasks of a second each; answers whose task was chosen, decision by decision. */
function decisions(shares: readonly number[], runsOf: readonly number[], rounds: number): number[] {
  const stage = new Stage({ aheadPerSlot: 0 });
  const ownerOf = new Map<string, number>();
  let number = 0;
  shares.forEach((ownerShare, owner) => {
    for (let each = 0; each < runsOf[owner]!; each++) {
      number += 1;
      const id = testId("r", number);
      ownerOf.set(id, owner);
      stage.reactor.onRunSubmitted(plan({ id, ownerId: `owner ${owner}`, ownerShare, tasks: rounds + 1 }));
    }
  });
  stage.join("a1", 1);
  const served: number[] = [];
  while (served.length < rounds) {
    const assigned = stage.ports.sent.flatMap(({ message }) => (message.is === "assign" ? [message.attempt] : []));
    stage.ports.sent = [];
    const [attempt, ...others] = assigned;
    if (!attempt || others.length > 0) throw new Error(`${assigned.length} tasks were given to one slot.`);
    served.push(ownerOf.get(attempt.run)!);
    stage.ports.time += secondMs;
    const usage = { startedAt: stage.ports.time - secondMs, endedAt: stage.ports.time };
    stage.reactor.onAttemptEnded(agentUuid("a1"), attemptId(attempt), stage.epoch, succeeded, usage);
  }
  return served;
}

/** The longest an owner had to look on, in decisions, also at the beginning and at the end. */
function longestWait(served: readonly number[], owner: number): number {
  let longest = 0;
  let since = 0;
  for (const one of served) {
    since = one === owner ? 0 : since + 1;
    longest = Math.max(longest, since);
  }
  return longest;
}

describe("fair share", () => {
  it("serves an owner of share s among shares S at least once in ⌈S/s⌉ + n decisions", () => {
    const owners = fc.array(
      fc.record({ share: fc.integer({ min: 1, max: 8 }), runs: fc.integer({ min: 1, max: 4 }) }),
      {
        minLength: 2,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(owners, (each) => {
        const shares = each.map(({ share }) => share);
        const total = shares.reduce((sum, share) => sum + share, 0);
        const served = decisions(
          shares,
          each.map(({ runs }) => runs),
          150,
        );
        shares.forEach((share, owner) => {
          expect(longestWait(served, owner)).toBeLessThan(Math.ceil(total / share) + shares.length);
        });
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  it("gives each owner its part, whatever number of runs it has", () => {
    const served = decisions([1, 3], [20, 1], 400);
    expect(served.filter((owner) => owner === 1).length).toBeGreaterThanOrEqual(296);
    expect(served.filter((owner) => owner === 0).length).toBeGreaterThanOrEqual(96);
  });

  it("saves up no turns for an owner that was away", () => {
    const stage = new Stage({ aheadPerSlot: 0 });
    stage.submit({ id: testId("r", 1), ownerId: "busy", tasks: 100 });
    stage.join("a1", 1);
    const next = () => {
      const [message] = stage.ports.sent.flatMap(({ message: one }) => (one.is === "assign" ? [one] : []));
      stage.ports.sent = [];
      stage.ports.time += secondMs;
      const usage = { startedAt: stage.ports.time - secondMs, endedAt: stage.ports.time };
      stage.reactor.onAttemptEnded(agentUuid("a1"), attemptId(message!.attempt), stage.epoch, succeeded, usage);
      return message!.attempt.run;
    };
    for (let i = 0; i < 50; i++) next();
    stage.submit({ id: testId("r", 2), ownerId: "newcomer", tasks: 100 });
    const after = Array.from({ length: 20 }, next);
    expect(after.filter((run) => run === testId("r", 1)).length).toBeGreaterThanOrEqual(9);
  });
});
