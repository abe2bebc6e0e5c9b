import { expect, test } from "vitest";
import { checkWorkflow } from "./check";
import { jobName, machineName, matching, withRunTimeValues } from "./run-time-variables";

const values = { GW_ARCH: machineName("x64"), GW_JOB_ID: jobName("01234567-89ab", 3), GW_HOSTNAME: "n1" };

test("variables get the values of the chosen host, others stay", () => {
  expect(withRunTimeValues("prog.${GW_ARCH}/${GW_JOB_ID}@${GW_HOSTNAME} ${GW_OTHER} ${x}", values)).toBe(
    "prog.x86_64/01234567-3@n1 ${GW_OTHER} ${x}",
  );
});

test("a name with a variable may stand for several files that came with the workflow", () => {
  const provided = ["prog.x86_64", "prog.aarch64", "program", "prog.", "sub/prog.x"];
  expect(matching("prog.${GW_ARCH}", provided)).toEqual(["prog.x86_64", "prog.aarch64"]);
  expect(matching("prog.x86_64", provided)).toEqual([]);
  const text = "task A -e prog.${GW_ARCH} -i prog.${GW_ARCH}\n";
  const errors = (files: string[]) =>
    checkWorkflow(text, undefined, new Set(files)).problems.filter(({ severity }) => severity === "error");
  expect(errors(["prog.x86_64"])).toEqual([]);
  expect(errors(["other"])).toHaveLength(1);
});
