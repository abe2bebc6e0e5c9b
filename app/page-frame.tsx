/** The frame of every page: skip link, top bar, main part. */
import type { ReactNode } from "react";
import { ApiProvider } from "@/components/api/provider";
import { StatusBanner } from "@/components/portal/status-banner";
import { TopBar } from "@/components/ui/top-bar";
import { chosenTheme, me } from "./session";
import { rememberTheme } from "./theme-action";

export async function PageFrame({ children, narrow = false }: { children: ReactNode; narrow?: boolean }) {
  const [user, theme] = await Promise.all([me(), chosenTheme()]);
  return (
    <ApiProvider>
      <a
        href="#main"
        className="absolute left-2 top-2 z-50 -translate-y-16 bg-ink px-3 py-1.5 text-paper focus:translate-y-0"
      >
        Skip to the content
      </a>
      <TopBar me={user} theme={theme} rememberTheme={rememberTheme} />
      <main
        id="main"
        tabIndex={-1}
        className={`mx-auto px-4 py-6 outline-none sm:px-6 ${narrow ? "max-w-md" : "max-w-[100rem]"}`}
      >
        <StatusBanner />
        {children}
      </main>
    </ApiProvider>
  );
}
