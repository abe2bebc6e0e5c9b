/** The parts of the SSH runner that need no connection. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { shorten } from "./command-runner";
import { parseHostKey } from "./host-key";
import { readMarks, remoteCommand } from "./over-ssh";
import { isSshName } from "./ssh-names";
import { sshProblem } from "./ssh-problem";

test("a command reaches any shell as the words it was", () => {
  const words = ["printf", "<%s>", "a b", "$HOME", "'", "", "`id`", "\\"];
  const line = remoteCommand(words, { mark: "MARK", timeoutMs: 5_000 });
  for (const shell of ["/bin/sh", "/bin/bash"]) {
    const { stdout, stderr, status } = spawnSync(shell, ["-c", line], { encoding: "utf8" });
    const { complete, end } = readMarks(
      { exitCode: status, stdout: `welcome\n${stdout}`, stderr, durationMs: 1 },
      "MARK",
    );
    expect(complete).toBe(true);
    expect(end).toMatchObject({ exitCode: 0, stdout: "<a b><$HOME><'><><`id`><\\>", stderr: "" });
  }
});

test("without the marks it is not known how a command ended", () => {
  const end = { exitCode: 255, stdout: "", stderr: "Connection closed by remote host", durationMs: 1 };
  expect(readMarks(end, "MARK")).toMatchObject({ complete: false, end: { exitCode: null } });
  const half = { ...end, stdout: "MARK\nhalf" };
  expect(readMarks(half, "MARK")).toMatchObject({ complete: false });
});

test("what ssh says becomes a problem of the right kind", () => {
  for (const [said, code] of [
    ["ssh: Could not resolve hostname nowhere: Name or service not known", "unreachable"],
    ["ssh: connect to host h port 22: Connection refused", "unreachable"],
    ["ssh: connect to host h port 22: Connection timed out", "unreachable"],
    ["kex_exchange_identification: Connection closed by remote host", "unreachable"],
    ["@@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@@\nHost key verification failed.", "host-key"],
    [
      "No ED25519 host key is known for gridloom-cluster and you have requested strict checking.\nHost key verification failed.",
      "host-key",
    ],
    ["ada@h: Permission denied (publickey).", "not-authorised"],
    ['Load key "/tmp/k": error in libcrypto\nada@h: Permission denied (publickey).', "not-authorised"],
  ] as const) {
    expect(sshProblem(said, "ada@h", 255).code, said).toBe(code);
  }
});

test("host keys are parsed and named by their fingerprint", () => {
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  expect(parseHostKey(`${key} root@host`)).toEqual({
    key,
    fingerprint: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
  });
  expect(parseHostKey("ssh-ed25519 AAAA\nProxyCommand id")).toBeUndefined();
  expect(parseHostKey("")).toBeUndefined();
});

test("names of hosts and logins", () => {
  for (const host of ["h", "front.example.org", "10.0.0.1", "fe80::1", "_x"])
    expect(isSshName("host", host), host).toBe(true);
  for (const host of ["", "-oX=y", "a b", "a;b", "a\nb", "h/x", "$(id)"])
    expect(isSshName("host", host), host).toBe(false);
  expect(isSshName("login", "ada.l+x@REALM")).toBe(true);
  expect(isSshName("login", "-l")).toBe(false);
});

test("long output is kept as its beginning and its end", () => {
  expect(shorten("abc", 10)).toBe("abc");
  const short = shorten(`${"a".repeat(50)}${"z".repeat(50)}`, 20);
  expect(short).toMatch(/^a{10}\n… 80 characters left out …\nz{10}$/);
});
