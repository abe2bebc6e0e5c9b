/**
 * Where the Prisma command line finds its schema and migrations. The portal itself applies the migrations
 * with its own runner (server/migrations.ts), so this is for developers.
 */
import { defineConfig } from "prisma/config";

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "" },
});
