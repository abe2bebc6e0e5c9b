/**
 * A real Grid Engine: a master and several execution hosts, each a box with a network of its own, because Grid Engine knows
 * hosts by name and address. The hosts see the master and nothing else, unless `reach` names ports of the portal's machine.
 * Commands work from this machine with `environment` set, and over SSH from the front end, which is the master.
 */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { runProcess } from "@/server/clusters/run-process";
import { Box, type CommandInBox, uniqueWord, until } from "./box-for-tests";
import { gridEngineQueue, gridEngineSmp } from "./grid-engine-files-for-tests";
import { Link } from "./link-for-tests";
import { reachOut, SshHost } from "./ssh-hosts-for-tests";

export interface GridEngineOptions {
  hosts?: number;
  slots?: number;
  /** Ports of the portal's machine that the execution hosts reach as their own. */
  reach?: readonly number[];
}

const programs = "/usr/lib/gridengine";
const network = "10.77.1";
const masterAddress = `${network}.1`;

export class GridEngineCluster {
  private front: SshHost | undefined;
  private readonly links = new Map<string, Link>();

  private constructor(
    private readonly directory: string,
    readonly master: Box,
    readonly hosts: readonly Box[],
  ) {}

  static async start(options: GridEngineOptions = {}): Promise<GridEngineCluster> {
    const { hosts: count = 2, slots = 2, reach = [] } = options;
    const directory = mkdtempSync(join(tmpdir(), "gl-sge-"));
    const boxes: Box[] = [];
    try {
      const word = uniqueWord();
      const names = [`sge-${word}`, ...Array.from({ length: count }, (_, index) => `sge-${word}-${index + 1}`)];
      prepareFiles(directory, names);
      const mounts = [
        { from: join(directory, "hosts"), at: "/etc/hosts" },
        { from: join(directory, "home"), at: homedir() },
      ];
      for (const hostName of names) boxes.push(await Box.start({ hostName, network: "own", mounts }));
      const [master, ...hosts] = boxes;
      if (!master) throw new Error("no master");
      await connectBoxes(master, hosts);
      const cluster = new GridEngineCluster(directory, master, hosts);
      cluster.writeClients();
      await cluster.startDaemons(slots);
      for (const box of hosts) await cluster.open(box, reach);
      return cluster;
    } catch (error) {
      await Promise.all(boxes.map((box) => box.stop()));
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** For the driver's settings when commands run on this machine. */
  get environment(): Record<string, string> {
    return { PATH: `${join(this.directory, "bin")}:/usr/bin:/bin` };
  }

  /** Of the account its jobs run under. */
  get home(): string {
    return join(this.directory, "home");
  }

  /** The address under which the execution hosts see the front end. */
  get frontEndAddress(): string {
    return masterAddress;
  }

  /** One of Grid Engine's commands, as the account's owner would give it. */
  run(program: string, ...words: readonly string[]): Promise<CommandInBox> {
    return this.inMaster(`${programs}/${program}`, ...words);
  }

  async frontEnd(): Promise<SshHost> {
    const environment = { ...this.settings, PATH: `${programs}:/usr/bin:/bin` };
    // Execution hosts may use tunnels that end at the front end.
    this.front ??= await SshHost.start({ box: this.master, environment, sshdLines: ["GatewayPorts clientspecified"] });
    return this.front;
  }

  /** Silent, as a pulled cable is. */
  async cutLink(host: Box): Promise<void> {
    await host.run(["ip", "link", "set", "eth0", "down"]);
    this.links.get(host.hostName)?.cut();
  }

  async restoreLink(host: Box): Promise<void> {
    await host.run(["ip", "link", "set", "eth0", "up"]);
    this.links.get(host.hostName)?.restore();
  }

  async stop(): Promise<void> {
    await Promise.all([this.master, ...this.hosts].map((box) => box.stop()));
    await this.front?.stop();
    for (const link of this.links.values()) await link.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get settings(): Record<string, string> {
    const root = join(this.directory, "root");
    return { SGE_ROOT: root, SGE_CELL: "default", SGE_QMASTER_PORT: "6444", SGE_EXECD_PORT: "6445" };
  }

  private async inMaster(...words: readonly string[]): Promise<CommandInBox> {
    const environment = Object.entries(this.settings).map(([name, value]) => `${name}=${value}`);
    return await this.master.run(["env", ...environment, ...words]);
  }

  /** Runs one that must go well. */
  private async set(...words: readonly string[]): Promise<string> {
    const end = await this.inMaster(...words);
    if (end.exitCode !== 0) throw new Error(`${words.join(" ")}: ${end.stdout}${end.stderr}`);
    return end.stdout;
  }

  private async startDaemons(slots: number): Promise<void> {
    const { directory } = this;
    const resources = "/usr/share/gridengine/util/resources";
    const spool = `${directory}/root/default/common;${directory}/spool/qmaster`;
    await this.set(`${programs}/spoolinit`, "classic", "libspoolc", spool, "init");
    const defaults = `${programs}/spooldefaults`;
    await this.set(defaults, "configuration", join(directory, "configuration"));
    await this.set(defaults, "complexes", join(resources, "centry"));
    await this.set(defaults, "usersets", join(resources, "usersets"));
    for (const manager of ["root", "sgeadmin"]) await this.set(defaults, "managers", manager);
    await chown(directory);
    this.daemon(this.master, "sge_qmaster");
    const configure = (...words: string[]) => this.set(`${programs}/qconf`, ...words);
    await until("qmaster", async () => (await this.run("qconf", "-sh")).exitCode === 0);
    for (const host of this.hosts) await configure("-ah", host.hostName);
    await configure("-as", this.master.hostName);
    const scheduler = (await configure("-ssconf"))
      .replace(/^schedule_interval.*$/m, "schedule_interval 0:0:1")
      .replace(/^flush_(submit|finish)_sec.*$/gm, "flush_$1_sec 1");
    await configure("-Msconf", this.file("scheduler", scheduler));
    await configure("-Ahgrp", this.file("group", "group_name @allhosts\nhostlist NONE\n"));
    await configure("-Ap", this.file("smp", gridEngineSmp));
    for (const host of this.hosts) this.daemon(host, "sge_execd");
    await until("the execution hosts", async () => {
      const { stdout } = await this.run("qconf", "-sel");
      return this.hosts.every(({ hostName }) => stdout.split("\n").includes(hostName));
    });
    for (const { hostName } of this.hosts) await configure("-aattr", "hostgroup", "hostlist", hostName, "@allhosts");
    await configure("-Aq", this.file("queue", gridEngineQueue(slots)));
    await until("the queues", async () => {
      const { stdout } = await this.run("qstat", "-f");
      // A sixth column would be a state such as `au`.
      const ready = stdout
        .split("\n")
        .filter((line) => line.startsWith("all.q@") && line.trim().split(/\s+/).length === 5);
      return ready.length === this.hosts.length;
    });
  }

  private daemon(box: Box, program: string): void {
    const log = openSync(join(this.directory, "log", `${box.hostName}.out`), "a");
    // It stays in the foreground.
    const environment = { ...this.settings, SGE_ND: "1" };
    box.spawn([`${programs}/${program}`], { log, environment });
    closeSync(log);
  }

  private async open(box: Box, ports: readonly number[]): Promise<void> {
    const link = new Link();
    this.links.set(box.hostName, link);
    for (const port of ports) await reachOut(box, this.directory, link, port);
  }

  /** Commands for this machine that enter the master's box. */
  private writeClients(): void {
    const environment = Object.entries(this.settings).map(([name, value]) => `${name}=${value}`);
    for (const name of ["qsub", "qstat", "qdel", "qacct", "qhost", "qconf", "qmod", "qhold", "qrls", "qalter"]) {
      const words = this.master.words("env", ...environment, `${programs}/${name}`);
      const file = join(this.directory, "bin", name);
      writeFileSync(file, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
    }
  }

  private file(name: string, text: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }
}

function prepareFiles(directory: string, names: readonly string[]): void {
  chmodSync(directory, 0o755);
  const parts = ["root/default/common", "spool/qmaster", "spool/execd", "bin", "log", "home"];
  for (const part of parts) mkdirSync(join(directory, part), { recursive: true });
  for (const part of ["bin", "util", "lib", "utilbin"])
    symlinkSync(`/var/lib/gridengine/${part}`, join(directory, "root", part));
  const common = join(directory, "root", "default", "common");
  const bootstrap = {
    admin_user: "sgeadmin",
    default_domain: "none",
    ignore_fqdn: "true",
    spooling_method: "classic",
    spooling_lib: "libspoolc",
    spooling_params: `${common};${directory}/spool/qmaster`,
    binary_path: "/usr/sbin",
    qmaster_spool_dir: `${directory}/spool/qmaster`,
    security_mode: "none",
    listener_threads: "2",
    worker_threads: "2",
    scheduler_threads: "1",
  };
  const lines = Object.entries(bootstrap).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(join(common, "bootstrap"), lines.join(""));
  writeFileSync(join(common, "act_qmaster"), `${names[0]}\n`);
  const hosts = names.map((name, index) => `${addressOf(index)} ${name}\n`);
  writeFileSync(join(directory, "hosts"), `127.0.0.1 localhost\n${hosts.join("")}`);
  const settings: Record<string, string> = {
    execd_spool_dir: `${directory}/spool/execd`,
    min_uid: "0",
    min_gid: "0",
    load_report_time: "00:00:02",
    max_unheard: "00:00:10",
    reschedule_unknown: "00:00:05",
    mailer: "/bin/true",
    finished_jobs: "1000",
    reporting_params:
      "accounting=true reporting=false flush_time=00:00:01 accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00",
  };
  const configuration = readFileSync("/usr/share/gridengine/default-configuration", "utf8").replace(
    /^(\w+)\s.*$/gm,
    (line: string, name: string) => (settings[name] === undefined ? line : `${name} ${settings[name]}`),
  );
  writeFileSync(join(directory, "configuration"), configuration);
}

function addressOf(index: number): string {
  return index === 0 ? masterAddress : `${network}.${10 + index}`;
}

/** A bridge in the master's network; each host has one cable to it. */
async function connectBoxes(master: Box, hosts: readonly Box[]): Promise<void> {
  const inMaster = (...words: string[]) => must(["nsenter", `--target=${master.pid}`, "--net", "--", "ip", ...words]);
  await inMaster("link", "add", "br0", "type", "bridge");
  await inMaster("addr", "add", `${masterAddress}/24`, "dev", "br0");
  await inMaster("link", "set", "br0", "up");
  for (const [index, host] of hosts.entries()) {
    const cable = `v${index + 1}`;
    await inMaster("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", String(host.pid));
    await inMaster("link", "set", cable, "master", "br0", "up");
    await must(host.words("ip", "addr", "add", `${addressOf(index + 1)}/24`, "dev", "eth0"));
    await must(host.words("ip", "link", "set", "eth0", "up"));
  }
}

async function chown(directory: string): Promise<void> {
  await must(["chown", "-R", "sgeadmin:", join(directory, "root"), join(directory, "spool")]);
}

async function must(words: readonly string[]): Promise<void> {
  const end = await runProcess(words, { timeoutMs: 30_000 });
  if (end.exitCode !== 0) throw new Error(`${words.join(" ")}: ${end.stderr}${end.stopped?.detail ?? ""}`);
}
