"use server";
/** Remembers the reader's theme for a year; "system" forgets it. */
import { cookies } from "next/headers";
import { readTheme, type Theme, themeCookie } from "@/components/ui/theme";

export async function rememberTheme(theme: Theme): Promise<void> {
  const jar = await cookies();
  const chosen = readTheme(theme);
  if (chosen === "system") jar.delete(themeCookie);
  else jar.set(themeCookie, chosen, { path: "/", sameSite: "lax", maxAge: 365 * 86_400 });
}
