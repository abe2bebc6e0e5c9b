/** The themes a reader can choose, and the cookie that remembers the choice; shared by server and browser. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
export const themeCookie = "gridloom-theme";

export function readTheme(cookie: string | undefined): Theme {
  return themes.find((theme) => theme === cookie) ?? "system";
}
