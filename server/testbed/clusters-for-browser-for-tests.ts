/**
 * An SSH host and a Slurm with its front end, for the browser tests, which know nothing of the server's code: started by
 * scripts/test-clusters.mjs, which says on standard output where they are and ends them when its standard input ends.
 */
import { join } from "node:path";
import { SlurmCluster } from "./slurm-for-tests";
import { SshHost } from "./ssh-hosts-for-tests";

const [host, slurm] = await Promise.all([SshHost.start(), SlurmCluster.start({ nodes: 2, cpus: 2 })]);
const front = await slurm.frontEnd();

const placeOf = ({ target, hostKey, hostName, directory }: SshHost) => ({
  hostName,
  host: target.host,
  port: target.port,
  login: target.login,
  privateKey: target.privateKey,
  hostKeyFingerprint: hostKey.fingerprint,
  authorizedKeys: join(directory, "authorized_keys"),
});

process.stdout.write(`${JSON.stringify({ ssh: placeOf(host), slurm: { ...placeOf(front), nodes: slurm.nodes } })}\n`);

async function stop(): Promise<void> {
  await Promise.allSettled([host.stop(), slurm.stop()]);
  process.exit(0);
}
process.stdin.on("end", () => void stop()).resume();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void stop());
