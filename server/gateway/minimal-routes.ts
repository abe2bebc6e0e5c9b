/**
 * The gateway's side of a minimal agent (core/protocol/minimal.ts): each of its requests becomes an exchange of an ordinary agent that
 * holds at most one attempt. Nothing is remembered between two requests: the agent says each time what it holds.
 */
import type { IncomingMessage } from "node:http";
import { type AttemptId, parseAttemptId } from "@/core/engine/ids";
import type { Assignment, Exchange, ExchangeReply, HostFacts } from "@/core/protocol/agent";
import { minimalObstacle, parseEnd, parseHostText, taskText } from "@/core/protocol/minimal";
import type { AttemptOutput } from "@/server/files/attempt-output";
import type { AgentSession } from "./agent-session";
import { HttpProblem } from "./http-problem";

export interface MinimalPorts {
  session(): AgentSession;
  join(host: HostFacts): Promise<void>;
  exchange(exchange: Exchange): Promise<ExchangeReply>;
  streamLimit(attempt: AttemptId): Promise<number | undefined>;
  output: AttemptOutput;
}

export interface TextAnswer {
  status: number;
  text?: string;
}

const largestText = 4 * 2 ** 20;
const waitMs = 10_000;

export async function serveMinimal(ports: MinimalPorts, url: URL, request: IncomingMessage): Promise<TextAnswer> {
  const what = `${request.method} ${url.pathname.slice("/agent/v1/minimal/".length)}`;
  switch (what) {
    case "POST hello": {
      const host = parseHostText(await readText(request));
      if (!host) throw new HttpProblem(400, "What the agent tells of its host is not understood.");
      await ports.join(host);
      return { status: 204 };
    }
    case "POST task":
      return await giveTask(ports);
    case "POST alive": {
      const held = heldIn(url);
      const startedAt = Number(url.searchParams.get("started")) * 1000;
      const started = Number.isFinite(startedAt) && startedAt > 0 ? [{ ...held, at: startedAt }] : [];
      const reply = await ports.exchange(exchangeOf(ports, { held: [held], started }));
      const stops = reply.refused || [...reply.cancel, ...reply.discard].includes(held.attempt);
      return { status: 200, text: stops ? "stop\n" : "go\n" };
    }
    case "PUT output":
      return await takeOutput(ports, url, request);
    case "POST ended": {
      const held = heldIn(url);
      const end = parseEnd(await readText(request));
      if (!end) throw new HttpProblem(400, "How the task ended is not understood.");
      const { outcome, startedAt, endedAt } = end;
      const ended = [{ ...held, outcome, usage: { startedAt, endedAt } }];
      const reply = await ports.exchange(exchangeOf(ports, { held: [held], ended, waitMs }));
      const heard = reply.refused || [...reply.acknowledge, ...reply.discard].includes(held.attempt);
      return { status: heard ? 200 : 202 };
    }
    case "POST bye":
      await ports.exchange(exchangeOf(ports, { goodbye: true }));
      return { status: 204 };
    default:
      throw new HttpProblem(404, "There is nothing at this address for agents.");
  }
}

async function giveTask(ports: MinimalPorts): Promise<TextAnswer> {
  const reply = await ports.exchange(exchangeOf(ports, { waitMs }));
  if (reply.refused) return { status: 410, text: "This agent was given up.\n" };
  const [assignment] = reply.assign;
  if (!assignment) return { status: 204 };
  const obstacle = minimalObstacle(assignment);
  if (obstacle === undefined) return { status: 200, text: taskText(assignment) };
  await ports.exchange(exchangeOf(ports, refusalOf(assignment, obstacle)));
  return { status: 410, text: `${obstacle}\n` };
}

function refusalOf({ attempt, epoch }: Assignment, detail: string): Partial<Exchange> {
  const outcome = { is: "failed", reason: "agent-error", detail } as const;
  return { held: [{ attempt, epoch }], ended: [{ attempt, epoch, outcome, usage: {} }], waitMs };
}

async function takeOutput(ports: MinimalPorts, url: URL, request: IncomingMessage): Promise<TextAnswer> {
  const { attempt } = heldIn(url);
  const stream = url.searchParams.get("stream");
  const ref = parseAttemptId(attempt);
  const limit = await ports.streamLimit(attempt);
  if (!ref || limit === undefined || (stream !== "stdout" && stream !== "stderr")) {
    throw new HttpProblem(404, "This is not an output of one of the agent's attempts.");
  }
  let offset = 0;
  for await (const bytes of request.iterator({ destroyOnReturn: false })) {
    if (offset < limit) await ports.output.write(ref, { stream, offset, bytes }, limit);
    offset += bytes.length;
  }
  return { status: 204 };
}

function exchangeOf(ports: MinimalPorts, more: Partial<Exchange>): Exchange {
  const nothing = { held: [], started: [], ended: [], output: [], goodbye: false, waitMs: 0 };
  return { agent: ports.session().facts.id, ...nothing, ...more };
}

function heldIn(url: URL): { attempt: AttemptId; epoch: number } {
  const ref = parseAttemptId(url.searchParams.get("attempt") ?? "");
  const epoch = Number(url.searchParams.get("epoch") ?? 0);
  if (!ref || !Number.isSafeInteger(epoch)) throw new HttpProblem(400, "Which attempt this is about is not said.");
  return { attempt: `${ref.run}.${ref.task}.${ref.ordinal}`, epoch };
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = part;
    size += bytes.length;
    if (size > largestText) throw new HttpProblem(413, `A message may have at most ${largestText} bytes.`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}
