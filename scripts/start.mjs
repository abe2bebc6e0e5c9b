/** `npm start`: set up what is missing, then the portal, in this very process (so that signals reach it). */
import { script } from "./console.mjs";
import { ensureAll } from "./setup.mjs";

await script(async () => {
  await ensureAll();
  await import("../dist/main.js");
});
