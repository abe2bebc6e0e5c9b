/** Where to go after signing in: a page of this portal, never another site. */
export function safeNext(next: string | undefined): string {
  if (!next) return "/";
  // A full address comes from next-auth; only its path is followed.
  const base = "http://portal.invalid";
  if (!URL.canParse(next, base)) return "/";
  const { pathname, search } = new URL(next, base);
  // `x:https://…` and `javascript:…` have a path too, but not one that begins with a slash.
  if (!pathname.startsWith("/") || pathname.startsWith("//") || pathname.includes("\\")) return "/";
  return pathname.startsWith("/sign-") ? "/" : `${pathname}${search}`;
}
