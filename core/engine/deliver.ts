/** What a gateway says, told to the reactor. The real engine and the simulated one hand messages over here. */
import { describeHost } from "./host-facts";
import { parseAttemptId } from "./ids";
import type { GatewayToEngine } from "./messages";
import type { Reactor } from "./reactor";

export function deliver(reactor: Reactor, message: GatewayToEngine): void {
  switch (message.is) {
    // A gateway's greeting is the connection's business.
    case "hello":
      break;
    case "agent-joined": {
      const { agent: id, cluster, host, slots, held, owner } = message;
      const bound = message.bound === undefined ? undefined : parseAttemptId(message.bound);
      const binding = { ...(owner !== undefined && { owner }), ...(bound && { bound }) };
      reactor.onAgentJoined({ id, cluster, host: host.name, slots, ...describeHost(host), ...binding }, held);
      break;
    }
    case "agent-inventory":
      reactor.onAgentInventory(message.agent, message.held);
      break;
    case "agents-alive":
      reactor.onAgentsAlive(message.agents);
      break;
    case "host-readings":
      reactor.onHostFacts(message.agent, message.facts);
      break;
    case "agent-left":
      reactor.onAgentLeft(message.agent);
      break;
    case "attempt-started":
      reactor.onAttemptStarted(message.agent, message.attempt, message.epoch, message.at);
      break;
    case "attempt-progress": {
      const { is: _, agent, ...progress } = message;
      reactor.onProgress(agent, progress);
      break;
    }
    case "attempt-ended":
      reactor.onLastWords(message.agent, message.attempt, message.epoch, message.checkpoint, message.candidates);
      reactor.onAttemptEnded(message.agent, message.attempt, message.epoch, message.outcome, message.usage);
      break;
  }
}
