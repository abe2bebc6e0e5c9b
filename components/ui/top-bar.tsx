"use client";
/** The bar on top of every page: where one is, the theme, and the account. */
import Link, { useLinkStatus } from "next/link";
import { usePathname } from "next/navigation";
import { AccountMenu } from "@/components/account/account-menu";
import type { Me } from "@/server/api/views";
import { Mark } from "./mark";
import type { Theme } from "./theme";
import { ThemeSwitch } from "./theme-switch";

const places = [
  { href: "/", label: "Home" },
  { href: "/workflows", label: "Workflows" },
  { href: "/runs", label: "Runs" },
  { href: "/directory", label: "Directory" },
  { href: "/clusters", label: "Clusters" },
];

export function TopBar({
  me,
  theme,
  rememberTheme,
}: {
  me: Me | null;
  theme: Theme;
  rememberTheme: (theme: Theme) => Promise<void>;
}) {
  const path = usePathname();
  const isHere = (href: string) => (href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`));
  return (
    <header className="border-b bg-surface">
      <div className="mx-auto flex max-w-[100rem] flex-wrap items-center gap-x-5 px-4 sm:px-6">
        <Link href="/" className="flex h-12 items-center gap-2 font-semibold tracking-tight">
          <Mark /> Gridloom
        </Link>
        {me ? (
          <nav
            aria-label="Main"
            className="flex gap-1 max-sm:order-last max-sm:-mx-2 max-sm:w-full max-sm:justify-between"
          >
            {places.map((place) => (
              <Link
                key={place.href}
                href={place.href}
                aria-current={isHere(place.href) ? "page" : undefined}
                className="relative border-b-2 border-transparent px-2 py-3 text-[0.93rem] text-muted hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink max-sm:py-2"
              >
                {place.label}
                <OnItsWay />
              </Link>
            ))}
          </nav>
        ) : null}
        <div className="ml-auto flex items-center gap-1">
          <ThemeSwitch initial={theme} remember={rememberTheme} />
          {me ? <AccountMenu me={me} /> : null}
        </div>
      </div>
    </header>
  );
}

/** A line under the place one is going to, until it is there. */
function OnItsWay() {
  const { pending } = useLinkStatus();
  return pending ? (
    <span aria-hidden="true" className="absolute inset-x-0 -bottom-0.5 h-0.5 animate-pulse bg-thread" />
  ) : null;
}
