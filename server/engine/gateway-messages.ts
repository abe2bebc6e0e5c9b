/**
 * What gateways say, checked: the engine acts on nothing it does not understand.
 */
import { z } from "zod";
import type { GatewayToEngine } from "@/core/engine/messages";
import { exchange, facts, hostFacts, progress } from "@/core/protocol/agent";

const agent = z.string().regex(/^[0-9a-f-]{36}$/);
const held = exchange.shape.held;

const gatewayMessage: z.ZodType<GatewayToEngine> = z.discriminatedUnion("is", [
  z.object({ is: z.literal("hello"), gateway: z.string().max(255) }),
  z.object({
    is: z.literal("agent-joined"),
    agent,
    cluster: z.string().max(255),
    host: hostFacts,
    slots: z.number().int().nonnegative(),
    held,
    owner: z.string().max(255).optional(),
    bound: held.element.shape.attempt.optional(),
  }),
  z.object({ is: z.literal("agent-inventory"), agent, held }),
  z.object({ is: z.literal("agents-alive"), agents: z.array(agent) }),
  z.object({ is: z.literal("host-readings"), agent, facts }),
  z.object({ is: z.literal("agent-left"), agent }),
  exchange.shape.started.element.extend({ is: z.literal("attempt-started"), agent }),
  progress.extend({ is: z.literal("attempt-progress"), agent }),
  exchange.shape.ended.element.extend({ is: z.literal("attempt-ended"), agent }),
]);

/** Throws if the line is not a message. */
export function parseGatewayMessage(line: string): GatewayToEngine {
  return gatewayMessage.parse(JSON.parse(line));
}
