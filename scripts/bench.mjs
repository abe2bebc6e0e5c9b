/** `npm run -s bench -- NAME --json`: one of the benchmarks, from an up-to-date bundle. */
import { script } from "./console.mjs";
import { ensurePrograms } from "./setup.mjs";

await script(async () => {
  await ensurePrograms();
  await import("../dist/bench.js");
});
