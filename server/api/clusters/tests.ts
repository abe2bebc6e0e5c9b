/**
 * Tests of clusters: the steps of a driver's probe as they are done, kept in this process for whoever started the test to watch.
 * Private keys are in its hands, so a test is started by a request's body and watched by its id.
 *
 *   running → ended (every step went well, or one failed, or it took too long) → forgotten after a quarter of an hour
 */
import { randomUUID } from "node:crypto";
import { TRPCError } from "@trpc/server";
import type { Registration } from "@/core/clusters/registration";
import { ClusterProblem } from "@/server/clusters/cluster-problem";
import type { RanCommand } from "@/server/clusters/command-runner";
import type { ProbeStep } from "@/server/clusters/driver";
import { fetchHostKey, parseHostKey } from "@/server/clusters/host-key";
import { type OpenCluster, openCluster } from "@/server/clusters/open-cluster";
import type { TestView } from "./views";

export interface TestTarget {
  registration: Pick<Registration, "driver" | "address" | "queue" | "hostKey" | "settings">;
  /** Null on the portal's own machine. */
  key: { login: string; privateKey: string } | null;
}

const keptMs = 15 * 60_000;
const mostRunningEach = 3;
const longestMs = 4 * 60_000;

export class ClusterTests {
  private readonly tests = new Map<string, ClusterTest>();

  constructor(private readonly open: typeof openCluster = openCluster) {}

  /** `onEnd` is told once, before watchers are told of the end. */
  start(user: string, target: TestTarget, onEnd?: (test: ClusterTest) => Promise<void>): ClusterTest {
    this.forget();
    const running = [...this.tests.values()].filter((test) => test.user === user && test.ok === null);
    if (running.length >= mostRunningEach) {
      const message = `${mostRunningEach} tests of yours are running. Wait until one has ended.`;
      throw new TRPCError({ code: "TOO_MANY_REQUESTS", message });
    }
    const test = new ClusterTest(user);
    this.tests.set(test.id, test);
    void test.run(target, this.open, onEnd);
    return test;
  }

  /** Only whoever started it finds it. */
  find(user: string, id: string): ClusterTest | undefined {
    const test = this.tests.get(id);
    return test?.user === user ? test : undefined;
  }

  close(): void {
    for (const test of this.tests.values()) test.giveUp("The portal is stopping.");
    this.tests.clear();
  }

  private forget(): void {
    const before = Date.now() - keptMs;
    for (const [id, { endedAt }] of this.tests) if (endedAt && endedAt.getTime() < before) this.tests.delete(id);
  }
}

export class ClusterTest {
  readonly id = randomUUID();
  readonly steps: ProbeStep[] = [];
  ok: boolean | null = null;
  endedAt: Date | undefined;
  private hostKey: TestView["hostKey"] = null;
  private sentence: string | null = null;
  private readonly waiting = new Set<() => void>();
  private connection: OpenCluster | undefined;

  constructor(readonly user: string) {}

  async run(
    target: TestTarget,
    open: typeof openCluster,
    onEnd: ((test: ClusterTest) => Promise<void>) | undefined,
  ): Promise<void> {
    const tooLong = setTimeout(() => this.giveUp("The test took too long and was given up."), longestMs);
    let ok = false;
    try {
      ok = await this.probe(target, open);
    } catch (error) {
      this.sentence = error instanceof ClusterProblem ? error.sentence : "The test could not be made.";
      if (!(error instanceof ClusterProblem)) console.error("a test of a cluster failed", error);
    } finally {
      clearTimeout(tooLong);
      await this.connection
        ?.close()
        .catch((error: unknown) => console.error("a test's connection did not close", error));
    }
    if (this.ok !== null) return;
    this.ok = ok;
    this.endedAt = new Date();
    await onEnd?.(this).catch((error: unknown) => console.error("a test's end was not stored", error));
    this.tell();
  }

  private async probe({ registration, key }: TestTarget, open: typeof openCluster): Promise<boolean> {
    const { address } = registration;
    let { hostKey } = registration;
    if (address !== null) {
      const pinned = hostKey === null ? undefined : parseHostKey(hostKey);
      const shown = pinned ?? (await this.askHostKey(address));
      if (!shown) return false;
      hostKey = shown.key;
      this.hostKey = { line: shown.key, fingerprint: shown.fingerprint, known: pinned !== undefined };
      this.tell();
    }
    this.connection = open({ ...registration, hostKey }, key);
    if (this.ok !== null) return false;
    return await this.connection.driver.probe((step) => this.add(step));
  }

  private async askHostKey(address: { host: string; port: number }) {
    const at = Date.now();
    try {
      return await fetchHostKey(address);
    } catch (error) {
      if (!(error instanceof ClusterProblem)) throw error;
      const asked: RanCommand = {
        command: ["ssh-keyscan", "-p", String(address.port), "--", address.host],
        exitCode: null,
        stdout: "",
        stderr: error.sentence,
        at,
        durationMs: Date.now() - at,
        purpose: "ask for the host's key",
      };
      this.add({ step: "connect", ok: false, sentence: error.sentence, commands: [asked] });
      return undefined;
    }
  }

  giveUp(sentence: string): void {
    if (this.ok !== null) return;
    this.ok = false;
    this.endedAt = new Date();
    this.sentence = sentence;
    this.tell();
  }

  /** What is kept of it with the key. */
  summary(): string {
    if (this.ok) return "Every step went well.";
    return this.sentence ?? this.steps.find((step) => !step.ok)?.sentence ?? "It did not end well.";
  }

  view(): TestView {
    const { id, steps, hostKey, ok, sentence } = this;
    return { id, steps: [...steps], hostKey, ok, sentence };
  }

  async *watch(signal: AbortSignal): AsyncGenerator<TestView, void, unknown> {
    while (!signal.aborted) {
      const changed = this.nextChange(signal);
      const view = this.view();
      yield view;
      if (view.ok !== null) return;
      await changed;
    }
  }

  private add(step: ProbeStep): void {
    this.steps.push(step);
    this.tell();
  }

  private tell(): void {
    for (const wake of [...this.waiting]) wake();
  }

  private nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}
