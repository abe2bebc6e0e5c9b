/** `npm run -s gridloom -- COMMAND …`: the command line client, from an up-to-date bundle. */
import { script } from "./console.mjs";
import { ensurePrograms } from "./setup.mjs";

await script(async () => {
  await ensurePrograms();
  // npm moves to the checkout; the file names a person gives are meant from where they are.
  if (process.env.npm_lifecycle_event === "gridloom" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  await import("../dist/cli.js");
});
