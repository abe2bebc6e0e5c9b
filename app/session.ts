/** What server-rendered pages ask of the API: who is there, and data for the first paint. */
import { TRPCError } from "@trpc/server";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { readTheme, type Theme, themeCookie } from "@/components/ui/theme";
import { backend } from "@/server/api/backend";
import { createContext } from "@/server/api/context";
import { createCaller } from "@/server/api/root";
import type { Me } from "@/server/api/views";

const context = cache(async () => createContext(backend(), await headers()));

export async function api() {
  return createCaller(await context());
}

export async function me(): Promise<Me | null> {
  return (await context()).user;
}

/** Pages behind it are for people who are signed in; others sign in first and come back. */
export async function requireMe(back: string): Promise<Me> {
  const user = await me();
  if (!user) redirect(back === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(back)}`);
  return user;
}

/** Something of another person's, or a broken link, is a page that does not exist. */
export async function orNotFound<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "BAD_REQUEST")) notFound();
    throw error;
  }
}

export async function chosenTheme(): Promise<Theme> {
  return readTheme((await cookies()).get(themeCookie)?.value);
}
