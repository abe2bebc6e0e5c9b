/** `npm run build`: everything `npm start` would make, without starting. */
import { script } from "./console.mjs";
import { ensureAll } from "./setup.mjs";

await script(ensureAll);
