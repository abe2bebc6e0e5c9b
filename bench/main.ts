/**
 * `npm run -s bench -- NAME [--json]`: runs one benchmark. With `--json` the last line is one JSON object
 * `{"name", "measures", "peers", "notes"}`; without, the same for people. One file a claim, listed here.
 */
import type { Measurement } from "./measurement";

const benchmarks: Record<string, () => Promise<{ measure(): Promise<Measurement> }>> = {
  clustering: () => import("./clustering"),
  dispatch: () => import("./dispatch"),
  expressions: () => import("./expressions"),
  languages: () => import("./languages"),
  recovery: () => import("./recovery"),
  schedule: () => import("./schedule"),
  staging: () => import("./staging"),
};

const words = process.argv.slice(2);
const name = words.find((word) => !word.startsWith("--"));
const load = name === undefined ? undefined : benchmarks[name];
if (name === undefined || load === undefined) {
  console.error(
    `Usage: npm run -s bench -- NAME [--json], where NAME is one of: ${Object.keys(benchmarks).join(", ")}.`,
  );
  process.exit(2);
}

const { measures, peers, notes } = await (await load()).measure();
if (words.includes("--json")) {
  console.log(JSON.stringify({ name, measures, peers, notes }));
} else {
  for (const [key, value] of Object.entries(measures)) console.log(`${key.padEnd(28)} ${value}`);
  for (const [key, value] of Object.entries(peers)) console.log(`${`peer ${key}`.padEnd(28)} ${value}`);
  if (notes) console.log(notes);
}
process.exit(0);
