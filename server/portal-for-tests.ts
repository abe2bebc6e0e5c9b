/**
 * A whole portal with real processes and a run in it, for tests that take something away from it while it goes on. The
 * tasks say themselves that they started, to a counter outside the portal, which does not depend on what is tested.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "@/core/engine/ids";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings } from "./engine/run-settings";
import type { Home } from "./home";
import { openPool, type Pool } from "./journal/pool";
import { createRun } from "./journal/queries/create-run";
import { getRun } from "./journal/queries/get-run";
import { type Stack, type StackOptions, startStack } from "./stack";
import { StartCounter } from "./start-counter-for-tests";
import { makeTemporaryHome } from "./temporary-home";

/** What the portal and the tasks themselves say of a run. */
export interface Account {
  state: string | undefined;
  /** How often each task started, by its own count. */
  starts: number[];
  /** Outcomes recorded as succeeded, and the number of different tasks they are of. */
  succeeded: { outcomes: number; tasks: number };
}

export class TestPortal {
  readonly pool: Pool;

  private constructor(
    readonly stack: Stack,
    readonly home: Home,
    private readonly counter: StartCounter,
    private readonly removeHome: () => Promise<void>,
  ) {
    this.pool = openPool(stack.databaseUrl);
  }

  static async start(options: Partial<StackOptions> = {}): Promise<TestPortal> {
    const temporary = options.home ? { home: options.home, remove: async () => {} } : await makeTemporaryHome();
    try {
      const settings = { web: false, port: 0, slots: 4, log: () => undefined, ...options };
      const stack = await startStack({ ...settings, home: temporary.home });
      return new TestPortal(stack, temporary.home, await StartCounter.open(), temporary.remove);
    } catch (error) {
      await temporary.remove();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.stack.stop();
    await this.removeHome();
    this.counter.close();
  }

  /** One task feeds many, and one gathers what they made. Each says that it started. */
  async startFanOut(tasks: number, secondsEach = 0.4): Promise<RunId> {
    const source = fanOut(tasks, this.counter, secondsEach);
    const { application, format } = parseWorkflow(source);
    return createRun(this.pool, {
      owner: "cli:test",
      ownerAdmin: true,
      name: "under fire",
      format,
      source,
      application,
      graph: buildWorkflow(application).workflow,
      settings: { ...defaultRunSettings, retries: 0 },
      inputs: [],
    });
  }

  /** A database that is away says nothing about the run, so it counts as going on. */
  async goesOn(run: RunId): Promise<boolean> {
    const found = await getRun(this.pool, run).catch(() => undefined);
    return !found || found.state === "queued" || found.state === "running";
  }

  /** Waits for the end of the run, as long as the patience lasts, and counts. */
  async settle(run: RunId, patienceMs: number): Promise<Account> {
    const until = performance.now() + patienceMs;
    while ((await this.goesOn(run)) && performance.now() < until) await sleep(100);
    const found = await getRun(this.pool, run);
    const { rows } = await this.pool.query<Account["succeeded"]>(
      "SELECT count(*)::int AS outcomes, count(DISTINCT task)::int AS tasks FROM engine.outcome WHERE run = $1 AND outcome = 'succeeded'",
      [run],
    );
    const starts = await this.counter.starts(found?.taskCount ?? 0);
    return { state: found?.state, starts, succeeded: rows[0] ?? { outcomes: 0, tasks: 0 } };
  }

  /** How many different tasks have started. */
  async started(tasks: number): Promise<number> {
    return (await this.counter.starts(tasks)).filter((count) => count > 0).length;
  }

  /** The process of a part; waits for it while it is being started again. */
  async pid(part: string): Promise<number> {
    for (;;) {
      const pid = this.stack.pids()[part];
      if (pid !== undefined) return pid;
      await sleep(20);
    }
  }

  /** The embedded PostgreSQL's first process. */
  async databasePid(): Promise<number> {
    for (;;) {
      const text = await readFile(join(this.home.database, "postmaster.pid"), "utf8").catch(() => "");
      const pid = Number(text.split("\n")[0]);
      if (pid > 1) return pid;
      await sleep(20);
    }
  }

  /** Who decides, by the lease: its process and its epoch. */
  async matcher(): Promise<{ pid: number; epoch: number }> {
    const { rows } = await this.pool.query<{ pid: number; epoch: number }>(
      "SELECT (holder::jsonb ->> 1)::int AS pid, epoch::float8 AS epoch FROM engine.lease WHERE name = 'matcher'",
    );
    const [found] = rows;
    if (!found) throw new Error("no engine has ever held the lease");
    return found;
  }

  /** When the first attempt of an epoch later than this one was handed out; undefined as long as there is none. */
  async firstHandOutAfter(epoch: number): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ at: number | null }>(
      "SELECT extract(epoch FROM min(sent_at))::float8 * 1000 AS at FROM engine.attempt WHERE epoch > $1",
      [epoch],
    );
    return rows[0]?.at ?? undefined;
  }
}

/** What must be true of a run that lost nothing and did nothing twice. */
export function flawless(tasks: number): Account {
  return {
    state: "succeeded",
    starts: new Array<number>(tasks).fill(1),
    succeeded: { outcomes: tasks, tasks },
  };
}

function fanOut(tasks: number, counter: StartCounter, secondsEach: number): string {
  const last = tasks - 1;
  return `OUTPUT = "0.out"
task 0 -e "${counter.command("0")}; echo 0 > 0.out" -o 0.out
foreach N in 1..${last - 1} {
  task \${N} -e "${counter.command("${N}")}; sleep ${secondsEach}; echo \${N} > \${N}.out" -i 0.out -o \${N}.out
  OUTPUT = \${OUTPUT} + ";" + \${N} + ".out"
}
task ${last} -e "${counter.command(String(last))}; cat *.out | sort -n > all.txt" -i \${OUTPUT} -o all.txt
`;
}
