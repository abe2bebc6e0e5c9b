/** `npm run -s gridloom -- COMMAND …`: the command line client, from an up-to-date bundle. */
import { script } from "./console.mjs";
import { ensurePrograms } from "./setup.mjs";

await script(async () => {
  await ensurePrograms();
  await import("../dist/cli.js");
});
