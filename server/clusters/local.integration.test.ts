/** The local cluster's driver on the real system: accounts under root (names of their own, removed after), launch files. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeAt } from "@/server/home";
import { StartProblem } from "@/server/start-problem";
import { localAgentLaunch, prepareLocalCluster } from "./local";
import { claimSlotAccounts } from "./slot-accounts";
import { asAccount } from "./try-program";

const isRoot = process.getuid?.() === 0;
let directory: string;

/** Who runs the tests decides which of them apply. */
const asRoot = isRoot ? ["as root"] : [];
const asOrdinaryUser = isRoot ? [] : ["as an ordinary user"];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gridloom-local-"));
  chmodSync(directory, 0o711);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function homeIn(name: string) {
  const home = homeAt(join(directory, name));
  for (const path of [home.root, home.secrets, home.agent]) mkdirSync(path, { recursive: true });
  return home;
}

describe.each(asRoot)("%s: slot accounts", () => {
  const prefix = `gridloomtest${process.pid % 1000}x`;
  const place = () => ({ claims: join(directory, "claims"), prefix });

  afterEach(() => {
    for (const number of [1, 2, 3]) spawnSync("userdel", [`${prefix}${number}`]);
  });

  it("are made once, claimed by one installation each, and kept over restarts", () => {
    const [a, b] = [homeIn("a").root, homeIn("b").root];
    const first = claimSlotAccounts(a, 2, place());
    expect(first.accounts.map(({ name }) => name)).toEqual([`${prefix}1`, `${prefix}2`]);
    expect(first.accounts.every(({ uid, gid }) => uid > 0 && gid > 0)).toBe(true);
    expect(claimSlotAccounts(b, 1, place()).accounts.map(({ name }) => name)).toEqual([`${prefix}3`]);
    expect(claimSlotAccounts(a, 2, place())).toEqual(first);
  });

  it("of an installation that is gone are taken over, with whatever still runs under them ended", async () => {
    const gone = homeIn("gone").root;
    const [account] = claimSlotAccounts(gone, 1, place()).accounts;
    const [program = "", ...words] = asAccount(account!, ["sleep", "600"]);
    const left = spawn(program, words, { stdio: "ignore" });
    const ended = new Promise((resolve) => left.once("exit", (_, signal) => resolve(signal)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    rmSync(gone, { recursive: true });
    const heir = homeIn("heir").root;
    expect(claimSlotAccounts(heir, 1, place()).accounts).toEqual([account]);
    expect(await ended).toBe("SIGKILL");
    expect(readFileSync(join(directory, "claims", account!.name), "utf8")).toBe(`${heir}\n`);
  });
});

describe.each(asRoot)("%s: preparing the local cluster", () => {
  it("gives each slot an account that can enter its directory", async () => {
    const prepared = await prepareLocalCluster(homeIn("home"), 2);
    expect(prepared.isolation).toBe("accounts");
    expect(new Set(prepared.slots.map(({ uid }) => uid)).size).toBe(2);
  });

  it("says which directory keeps the accounts out", async () => {
    const closed = join(directory, "closed");
    mkdirSync(closed);
    const home = homeIn("closed/home");
    chmodSync(closed, 0o700);
    await expect(prepareLocalCluster(home, 1)).rejects.toThrow(StartProblem);
    await expect(prepareLocalCluster(home, 1)).rejects.toThrow(`chmod o+x '${closed}'`);
  });
});

describe.each(asOrdinaryUser)("%s: preparing the local cluster", () => {
  it("uses namespaces, or says why not", async () => {
    const prepared = await prepareLocalCluster(homeIn("home"), 2);
    if (prepared.isolation === "none") expect(prepared.isolationNote).toContain("administrators");
    else expect(prepared.isolation).toBe("namespaces");
  });
});

describe("launching the local agent", () => {
  it("writes closed files, keeps the identity, and makes a new one when it was deleted", async () => {
    const home = homeIn("home");
    const prepared = { isolation: "none" as const, isolationNote: "", slots: [{ number: 1 }] };
    const options = { home, prepared, gatewayUrl: "http://127.0.0.1:1", program: "/x/agent.js" };
    const first = await localAgentLaunch(options);
    expect(first.arguments).toEqual(["/x/agent.js", "--config", first.configFile]);
    expect(Object.keys(first.environment).sort()).toEqual(["LANG", "NODE_ENV", "PATH"]);
    const config = JSON.parse(readFileSync(first.configFile, "utf8")) as { tokenFile: string };
    for (const file of [first.configFile, config.tokenFile]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(config.tokenFile, "utf8").trim()).toBe(first.token);
    const second = await localAgentLaunch(options);
    expect([second.agent, second.token]).toEqual([first.agent, first.token]);
    rmSync(join(home.agent, "identity.json"));
    const third = await localAgentLaunch(options);
    expect(third.agent).not.toBe(first.agent);
    expect(third.token).not.toBe(first.token);
    writeFileSync(join(home.agent, "identity.json"), "torn");
    expect((await localAgentLaunch(options)).agent).not.toBe(third.agent);
    expect(existsSync(home.agent)).toBe(true);
  });
});
