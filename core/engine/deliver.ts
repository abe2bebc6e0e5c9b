/** What a gateway says, told to the reactor. The real engine and the simulated one hand messages over here. */
import type { GatewayToEngine } from "./messages";
import type { Reactor } from "./reactor";

export function deliver(reactor: Reactor, message: GatewayToEngine): void {
  switch (message.is) {
    // A gateway's greeting is the connection's business.
    case "hello":
      return;
    case "agent-joined": {
      const { agent: id, cluster, host, slots, held } = message;
      return reactor.onAgentJoined({ id, cluster, host: host.name, slots }, held);
    }
    case "agent-inventory":
      return reactor.onAgentInventory(message.agent, message.held);
    case "agents-alive":
      return reactor.onAgentsAlive(message.agents);
    case "agent-left":
      return reactor.onAgentLeft(message.agent);
    case "attempt-started":
      return reactor.onAttemptStarted(message.agent, message.attempt, message.epoch, message.at);
    case "attempt-ended":
      return reactor.onAttemptEnded(message.agent, message.attempt, message.epoch, message.outcome, message.usage);
  }
}
