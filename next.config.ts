import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  // Types are checked by `npm run types`; a portal must not fail to start over one.
  typescript: { ignoreBuildErrors: true },
  // Native code, and packages that read files beside themselves, stay in node_modules.
  serverExternalPackages: ["@node-rs/argon2", "@prisma/adapter-pg", "pg", "pino"],
  // The folder above may have a lock file of its own; the project is this one.
  turbopack: { root: import.meta.dirname },
};

export default config;
