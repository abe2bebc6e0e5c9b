"use client";
/**
 * System, light or dark. The choice is kept in a cookie by the server (`remember`), which then renders
 * <html data-theme>, so that a reload does not flash.
 */
import { Monitor, Moon, Sun } from "lucide-react";
import { useState, useTransition } from "react";
import { type Theme, themes } from "./theme";
import { useInBrowser } from "./use-in-browser";

const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeSwitch({ initial, remember }: { initial: Theme; remember: (theme: Theme) => Promise<void> }) {
  const [theme, setTheme] = useState(initial);
  const [, startTransition] = useTransition();
  const alive = useInBrowser();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const Icon = icons[theme];

  function choose() {
    setTheme(next);
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    startTransition(() => remember(next));
  }

  return (
    <button
      type="button"
      onClick={choose}
      disabled={!alive}
      data-testid="theme-switch"
      className="inline-flex h-8 w-8 items-center justify-center rounded-md hover:bg-sunken"
      aria-label={`Theme: ${theme}. Switch to ${next}.`}
      title={`Theme: ${theme}`}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}
