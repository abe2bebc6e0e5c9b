/**
 * A real Slurm in a box: its own munge, one controller, several nodes, on free ports of the loopback interface. Commands
 * work from this machine with `environment` set, and over SSH from its front end.
 */

import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@/server/free-port";
import { Box, type CommandInBox, uniqueWord, until } from "./box-for-tests";
import { SshHost } from "./ssh-hosts-for-tests";

export interface SlurmOptions {
  nodes?: number;
  cpus?: number;
  memoryMegabytes?: number;
  /** More lines for slurm.conf. */
  lines?: readonly string[];
}

export class SlurmCluster {
  private front: SshHost | undefined;

  private constructor(
    private readonly directory: string,
    readonly box: Box,
    readonly nodes: readonly string[],
  ) {}

  static async start(options: SlurmOptions = {}): Promise<SlurmCluster> {
    const { nodes: count = 2 } = options;
    const directory = mkdtempSync(join(tmpdir(), "gl-slurm-"));
    let box: Box | undefined;
    try {
      // Any account's jobs read what is in here.
      chmodSync(directory, 0o755);
      for (const part of ["state", "spool", "log", "run", "home"]) mkdirSync(join(directory, part));
      mkdirSync(join(directory, "munge"), { mode: 0o711 });
      const hostName = `slurm-${uniqueWord()}`;
      writeFileSync(join(directory, "hosts"), `127.0.0.1 localhost ${hostName}\n`);
      writeFileSync(join(directory, "munge", "key"), randomBytes(1024), { mode: 0o600 });
      const nodes = Array.from({ length: count }, (_, index) => `n${index + 1}`);
      writeFileSync(join(directory, "slurm.conf"), await configuration(directory, hostName, nodes, options));
      box = await Box.start({
        hostName,
        network: "shared",
        mounts: [
          { from: join(directory, "hosts"), at: "/etc/hosts" },
          { from: join(directory, "home"), at: homedir() },
        ],
      });
      const cluster = new SlurmCluster(directory, box, nodes);
      await cluster.startDaemons();
      return cluster;
    } catch (error) {
      await box?.stop();
      const log = readLog(join(directory, "log", "slurmctld.log"));
      rmSync(directory, { recursive: true, force: true });
      throw new Error(`Slurm did not start: ${log}`, { cause: error });
    }
  }

  /** For the driver's settings, and for commands of one's own. */
  get environment(): Record<string, string> {
    return { SLURM_CONF: join(this.directory, "slurm.conf") };
  }

  /** Of the account its jobs run under. */
  get home(): string {
    return join(this.directory, "home");
  }

  /** One of Slurm's commands, as its account's owner would give it. */
  run(...words: readonly string[]): Promise<CommandInBox> {
    return this.box.run(["env", `SLURM_CONF=${this.environment.SLURM_CONF}`, ...words]);
  }

  /** A way in over SSH, started when first asked for. */
  async frontEnd(): Promise<SshHost> {
    this.front ??= await SshHost.start({ box: this.box, environment: this.environment });
    return this.front;
  }

  /** The node's daemon and the jobs on it vanish; the controller is told only by their silence. */
  async killNode(name: string): Promise<void> {
    const listed = await this.box.run(["pgrep", "-f", `slurmd -D -N ${name}$`]);
    const [daemon] = listed.stdout.trim().split("\n");
    const steps = await this.box.run(["pgrep", "-x", "slurmstepd"]);
    const onNode = steps.stdout.split("\n").filter((pid) => pid !== "");
    for (const pid of [daemon ?? "", ...(await this.stepsOf(name, onNode))]) {
      if (pid !== "") await this.box.run(["kill", "-KILL", pid]);
    }
  }

  async startNode(name: string): Promise<void> {
    this.daemon(`slurmd-${name}`, ["slurmd", "-D", "-N", name]);
    await until(`node ${name}`, async () => (await this.nodeStates()).get(name) === "idle");
  }

  async stopController(): Promise<void> {
    await this.box.run(["pkill", "-x", "slurmctld"]);
    await until("the controller's end", async () => (await this.box.run(["pgrep", "-x", "slurmctld"])).exitCode === 1);
  }

  async startController(): Promise<void> {
    this.daemon("slurmctld", ["slurmctld", "-D"]);
    await until("slurmctld", async () => (await this.run("scontrol", "ping")).stdout.includes("UP"));
  }

  async stop(): Promise<void> {
    await this.box.stop();
    await this.front?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startDaemons(): Promise<void> {
    const munge = (name: string) => join(this.directory, "munge", name);
    const files = [`--key-file=${munge("key")}`, `--socket=${munge("socket")}`, `--pid-file=${munge("pid")}`];
    this.daemon("munged", ["munged", "-F", ...files, `--log-file=${munge("log")}`, `--seed-file=${munge("seed")}`]);
    await until(
      "munged",
      async () => (await this.box.run(["munge", `--socket=${munge("socket")}`, "-n"])).exitCode === 0,
    );
    await this.startController();
    for (const node of this.nodes) {
      mkdirSync(join(this.directory, "spool", node));
      this.daemon(`slurmd-${node}`, ["slurmd", "-D", "-N", node]);
    }
    await until("the nodes", async () => [...(await this.nodeStates()).values()].every((state) => state === "idle"));
    // The first job after a start waits seconds for the scheduler; it should not be a test's.
    await this.run("srun", "-n1", "--mem=0", "true");
  }

  private daemon(name: string, words: readonly string[]): void {
    const log = openSync(join(this.directory, "log", `${name}.out`), "a");
    this.box.spawn(words, { log, environment: this.environment });
    closeSync(log);
  }

  private async nodeStates(): Promise<Map<string, string>> {
    const { stdout } = await this.run("sinfo", "-h", "-N", "-p", "main", "-o", "%N %T");
    return new Map(
      stdout.split("\n").flatMap((line) => (line === "" ? [] : [[line.split(" ")[0] ?? "", line.split(" ")[1] ?? ""]])),
    );
  }

  /** The job steps' shepherds are children of init, so only their environment tells the node; and what they run goes with them. */
  private async stepsOf(node: string, pids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const pid of pids) {
      const { stdout } = await this.box.run(["pgrep", "-P", pid]);
      for (const child of stdout.split("\n").filter((line) => line !== "")) {
        const environment = (await this.box.run(["cat", `/proc/${child}/environ`])).stdout.split("\0");
        if (environment.includes(`SLURMD_NODENAME=${node}`)) found.push(pid, child);
      }
    }
    return found;
  }
}

async function configuration(
  directory: string,
  hostName: string,
  nodes: readonly string[],
  options: SlurmOptions,
): Promise<string> {
  const { cpus = 2, memoryMegabytes = 4000, lines = [] } = options;
  const munge = join(directory, "munge", "socket");
  const ports = await Promise.all([undefined, ...nodes].map(() => freePort()));
  const nodeLines = nodes.map((name, index) => {
    const place = `NodeHostname=${hostName} NodeAddr=127.0.0.1 Port=${ports[index + 1]}`;
    return `NodeName=${name} ${place} CPUs=${cpus} RealMemory=${memoryMegabytes} State=UNKNOWN`;
  });
  return [
    `ClusterName=${hostName}`,
    `SlurmctldHost=${hostName}(127.0.0.1)`,
    "SlurmUser=root",
    "SlurmdUser=root",
    "AuthType=auth/munge",
    "CredType=cred/munge",
    // A requeued job waits until its old credential has expired.
    `AuthInfo=socket=${munge},cred_expire=5`,
    `SlurmctldPort=${ports[0]}`,
    `SlurmctldPidFile=${directory}/run/slurmctld.pid`,
    `SlurmdPidFile=${directory}/run/slurmd-%n.pid`,
    `SlurmdSpoolDir=${directory}/spool/%n`,
    `StateSaveLocation=${directory}/state`,
    `SlurmctldLogFile=${directory}/log/slurmctld.log`,
    `SlurmdLogFile=${directory}/log/slurmd-%n.log`,
    // Loopback only; several nodes on one host.
    "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
    "SlurmdParameters=config_overrides",
    // Without control groups.
    "ProctrackType=proctrack/linuxproc",
    "TaskPlugin=task/none",
    "JobAcctGatherType=jobacct_gather/none",
    "AccountingStorageType=accounting_storage/none",
    "SelectType=select/cons_tres",
    "SelectTypeParameters=CR_Core_Memory",
    "SchedulerType=sched/backfill",
    "SchedulerParameters=batch_sched_delay=0,sched_min_interval=10000,sched_interval=2,default_queue_depth=200,bf_interval=2,bf_continue",
    "PriorityType=priority/basic",
    "MinJobAge=300",
    "MaxArraySize=20001",
    "KillWait=2",
    "CompleteWait=0",
    "InactiveLimit=0",
    "MessageTimeout=20",
    "SlurmctldTimeout=30",
    "SlurmdTimeout=10",
    "ReturnToService=2",
    "MailProg=/bin/true",
    "RebootProgram=/bin/true",
    "MpiDefault=none",
    "JobRequeue=1",
    "DefMemPerCPU=100",
    ...nodeLines,
    `PartitionName=main Nodes=${nodes.join(",")} Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP`,
    `PartitionName=short Nodes=${nodes.join(",")} MaxTime=60 State=UP`,
    ...lines,
    "",
  ].join("\n");
}

function readLog(file: string): string {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines
      .filter((line) => /fatal|error/.test(line))
      .slice(-3)
      .join("; ");
  } catch {
    return "no log";
  }
}
