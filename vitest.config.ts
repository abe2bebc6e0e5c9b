import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Three kinds of tests share this file: `*.test.ts` beside the code need nothing but Node;
// `*.integration.test.ts` use real parts (PostgreSQL, processes) and run one file at a time;
// `*.full.test.ts` are long sweeps for `npm run test:full`.
const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["{core,server,agent,cli,components,bench}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.integration.test.ts", "**/*.full.test.ts", "**/node_modules/**"],
        },
      },
      {
        resolve: { alias },
        test: {
          name: "integration",
          include: ["{server,agent,cli}/**/*.integration.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "full",
          include: ["{core,server,agent,cli}/**/*.full.test.ts"],
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
