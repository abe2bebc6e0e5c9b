/**
 * The Prisma client over the process's one connection pool, so that accounts and workflows do not open
 * connections of their own beside the journal's.
 */
import { PrismaPg } from "@prisma/adapter-pg";
import type { Pool } from "pg";
import { PrismaClient } from "@/generated/prisma/client";

export type PortalDb = PrismaClient;

export function openPortalDb(pool: Pool): PortalDb {
  return new PrismaClient({ adapter: new PrismaPg(pool, { schema: "portal" }) });
}
