/**
 * Plain hosts with an sshd, each a box with a home directory of its own. They are reached at a port of this machine's
 * loopback interface. With a network of their own they reach nothing but the ports of the portal's machine that `reach` names,
 * and everything goes over a link that can be slow or be cut.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type HostKey, parseHostKey } from "@/server/clusters/host-key";
import { runProcess } from "@/server/clusters/run-process";
import type { SshTarget } from "@/server/clusters/ssh-connection";
import { freePort } from "@/server/free-port";
import { Box, uniqueWord, until } from "./box-for-tests";
import { Link, type LinkOptions } from "./link-for-tests";

export interface SshHostOptions {
  hostName?: string;
  /** Default: this machine's. */
  network?: { reach?: readonly number[]; link?: LinkOptions };
  /** A box that runs already: the host is its front end. */
  box?: Box;
  /** Set in every session, for example `SLURM_CONF` or `PATH`. */
  environment?: Readonly<Record<string, string>>;
  /** More lines for sshd_config. */
  sshdLines?: readonly string[];
}

export class SshHost {
  private constructor(
    readonly hostName: string,
    readonly directory: string,
    readonly box: Box,
    private readonly ownsBox: boolean,
    readonly port: number,
    readonly link: Link | undefined,
    readonly privateKey: string,
    readonly hostKey: HostKey,
  ) {}

  static async start(options: SshHostOptions = {}): Promise<SshHost> {
    const hostName = options.hostName ?? options.box?.hostName ?? `host-${uniqueWord()}`;
    const directory = mkdtempSync(join(tmpdir(), "gl-sshd-"));
    const ownNetwork = options.box ? options.box.ownNetwork : options.network !== undefined;
    const link = ownNetwork ? new Link(options.network?.link) : undefined;
    let box: Box | undefined;
    try {
      mkdirSync(join(directory, "home", ".ssh"), { recursive: true, mode: 0o700 });
      mkdirSync("/run/sshd", { recursive: true });
      const machineId = join(directory, "machine-id");
      writeFileSync(machineId, `${uniqueWord().repeat(4)}\n`);
      const [privateKey, publicKey] = await makeKey(join(directory, "client-key"));
      const [, hostPublicKey] = await makeKey(join(directory, "host-key"));
      writeFileSync(join(directory, "authorized_keys"), publicKey);
      box = options.box ?? (await startBox(hostName, directory, machineId, ownNetwork));
      const port = link ? await openDoor(options, directory, box, link) : await freePort();
      await startDaemon(directory, box, link ? 22 : port, options);
      await until(`sshd of ${hostName}`, async () => (await answers(port)) !== undefined);
      const hostKey = parseHostKey(hostPublicKey);
      if (!hostKey) throw new Error("ssh-keygen made no key");
      return new SshHost(hostName, directory, box, !options.box, port, link, privateKey, hostKey);
    } catch (error) {
      if (!options.box) await box?.stop();
      await link?.stop();
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  get target(): SshTarget {
    const { port, privateKey, hostKey } = this;
    return { host: "127.0.0.1", port, login: "root", privateKey, hostKey: hostKey.key, connectSeconds: 10 };
  }

  /** Of its account. */
  get home(): string {
    return join(this.directory, "home");
  }

  /** Power off: everything on it ends at once. */
  kill(): Promise<void> {
    return this.box.stop();
  }

  async stop(): Promise<void> {
    if (this.ownsBox) await this.box.stop();
    await this.link?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Several at once; if one does not start, none is left. */
export async function startSshHosts(each: readonly SshHostOptions[]): Promise<SshHost[]> {
  const started = await Promise.allSettled(each.map((options) => SshHost.start(options)));
  const hosts = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = started.find((result) => result.status === "rejected");
  if (!failed) return hosts;
  await Promise.all(hosts.map((host) => host.stop()));
  throw failed.reason;
}

function startBox(hostName: string, directory: string, machineId: string, ownNetwork: boolean): Promise<Box> {
  const mounts = [{ from: join(directory, "home"), at: homedir() }];
  if (readable("/etc/machine-id")) mounts.push({ from: machineId, at: "/etc/machine-id" });
  return Box.start({ hostName, network: ownNetwork ? "own" : "shared", mounts });
}

/** Where the host's port 22 is on this machine. A box with a network of its own is reached through sockets in its directory. */
async function openDoor(options: SshHostOptions, directory: string, box: Box, link: Link): Promise<number> {
  for (const port of options.network?.reach ?? []) await reachOut(box, directory, link, port);
  const path = join(directory, "sshd.socket");
  box.spawn(["socat", `UNIX-LISTEN:${path},fork`, "TCP:127.0.0.1:22"]);
  return await link.carry({ host: "127.0.0.1", port: 0 }, { path });
}

/** Inside the box, `127.0.0.1:port` becomes that of the portal's machine, over the link. */
export async function reachOut(box: Box, directory: string, link: Link, port: number): Promise<void> {
  const path = join(directory, `out-${box.hostName}-${port}.socket`);
  await link.carry({ path }, { host: "127.0.0.1", port });
  box.spawn(["socat", `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`, `UNIX-CONNECT:${path}`]);
}

async function startDaemon(directory: string, box: Box, port: number, options: SshHostOptions): Promise<void> {
  const environment = Object.entries(options.environment ?? {}).map(([name, value]) => `SetEnv ${name}=${value}`);
  const lines = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(directory, "host-key")}`,
    "PidFile none",
    `AuthorizedKeysFile ${join(directory, "authorized_keys")}`,
    "StrictModes no",
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "UsePAM no",
    "UseDNS no",
    "PrintMotd no",
    "PrintLastLog no",
    "MaxStartups 200:30:400",
    ...environment,
    ...(options.sshdLines ?? []),
  ];
  const config = join(directory, "sshd_config");
  writeFileSync(config, `${lines.join("\n")}\n`);
  const log = openSync(join(directory, "sshd.log"), "a");
  box.spawn(["/usr/sbin/sshd", "-D", "-e", "-f", config], { log });
  closeSync(log);
}

async function makeKey(file: string): Promise<[privateKey: string, publicKey: string]> {
  const end = await runProcess(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", file], {
    timeoutMs: 30_000,
  });
  if (end.exitCode !== 0) throw new Error(`ssh-keygen: ${end.stderr}${end.stopped?.detail ?? ""}`);
  return [readFileSync(file, "utf8"), readFileSync(`${file}.pub`, "utf8")];
}

async function answers(port: number): Promise<string | undefined> {
  const end = await runProcess(["ssh-keyscan", "-T", "2", "-p", String(port), "127.0.0.1"], { timeoutMs: 5_000 });
  return end.stdout.includes("ssh-ed25519") ? end.stdout : undefined;
}

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
