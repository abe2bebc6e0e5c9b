/** Every example of every format is recognised by its content, read with the files beside it, and built without an error. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { checkWorkflow } from "@/core/workflow/check";

const examples = new URL("../../examples/", import.meta.url);
const texts = ["dagman", "wfformat", "gridway", "grand"].flatMap((format) =>
  readdirSync(new URL(`${format}/`, examples), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:dag|json|jt)$|manifest\.xml$/.test(path))
    .map((path) => [format, path] as const),
);

const read = (path: string): string | undefined => {
  try {
    return readFileSync(new URL(path, examples), "utf8");
  } catch {
    return undefined;
  }
};

it.each(texts)("%s/%s", (format, path) => {
  const folder = dirname(`${format}/${path}`);
  const text = read(`${format}/${path}`) ?? "";
  // Only the content tells: the name is one of no format.
  const checked = checkWorkflow(text, "upload.txt", undefined, (name) => read(`${folder}/${name}`));
  expect(checked.format).toBe(format);
  expect(checked.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(checked.workflow?.taskCount).toBeGreaterThan(0);
});
