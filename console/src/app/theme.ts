import { readStored, writeStored } from "../parts/use-stored";

export type Theme = "system" | "light" | "dark";

export function readTheme(): Theme {
  return readStored<Theme>("theme", "system");
}

/** Use a theme now, and on the next visit. */
export function setTheme(theme: Theme): void {
  writeStored("theme", theme);
  applyTheme(theme);
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
