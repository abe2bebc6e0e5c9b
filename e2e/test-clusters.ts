/** Real clusters for the browser tests: an SSH host and a Slurm, in boxes of their own, ended with the test. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface FrontEnd {
  hostName: string;
  host: string;
  port: number;
  login: string;
  privateKey: string;
  hostKeyFingerprint: string;
  /** The file of the account that says which keys may come in. */
  authorizedKeys: string;
}

export interface TestClusters {
  ssh: FrontEnd;
  slurm: FrontEnd & { nodes: string[] };
  stop(): Promise<void>;
}

export async function startTestClusters(): Promise<TestClusters> {
  const program = spawn(process.execPath, ["scripts/test-clusters.mjs"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => program.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: program.stdout }).once("line", resolve);
    program.once("exit", (code) => reject(new Error(`The test clusters did not start (${code}).`)));
  });
  const { ssh, slurm }: Pick<TestClusters, "ssh" | "slurm"> = JSON.parse(line);
  return {
    ssh,
    slurm,
    async stop() {
      program.stdin.end();
      await ended;
    },
  };
}
