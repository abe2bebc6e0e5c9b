/** What is known of the host of each agent when a task is handed to it: names with `${GW_ARCH}` mean one file or another by it. */
import type { AgentId, AttemptRef } from "@/core/engine/ids";
import type { GatewayToEngine } from "@/core/engine/messages";
import { jobName, machineName, type RunTimeValues, withRunTimeValues } from "@/core/workflow/run-time-variables";
import type { TaskSpec } from "@/core/workflow/workflow";

export class ChosenHosts {
  private readonly hosts = new Map<AgentId, { arch: string; name: string }>();

  hear(message: GatewayToEngine): void {
    if (message.is === "agent-joined") {
      const { arch, name } = message.host;
      this.hosts.set(message.agent, { arch: machineName(arch), name });
    }
    if (message.is === "agent-left") this.hosts.delete(message.agent);
  }

  valuesFor(agent: AgentId, { run, task }: AttemptRef): RunTimeValues {
    const host = this.hosts.get(agent);
    return { GW_ARCH: host?.arch ?? "", GW_HOSTNAME: host?.name ?? "", GW_JOB_ID: jobName(run, task) };
  }
}

/** The task as the chosen host is to see it. */
export function forHost(task: TaskSpec, values: RunTimeValues): TaskSpec {
  const fill = (text: string) => withRunTimeValues(text, values);
  const filled = (text: string | undefined) => (text === undefined ? undefined : fill(text));
  const { command, stdin, stdout, stderr } = task;
  return {
    ...task,
    command:
      command.is === "exec"
        ? { is: "exec", executable: fill(command.executable), arguments: command.arguments.map(fill) }
        : { is: "shell", line: fill(command.line) },
    inputs: task.inputs.map(fill),
    outputs: task.outputs.map(fill),
    ...(stdin !== undefined && { stdin: filled(stdin) }),
    ...(stdout !== undefined && { stdout: filled(stdout) }),
    ...(stderr !== undefined && { stderr: filled(stderr) }),
    ...(task.environment && {
      environment: task.environment.map(({ name, value }) => ({ name, value: fill(value) })),
    }),
  };
}
