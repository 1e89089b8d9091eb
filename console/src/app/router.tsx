/** Addresses below the base of the page. Every item has one; back and forward work. */
import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";

const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");
const listeners = new Set<() => void>();

export interface Place {
  path: string;
  query: URLSearchParams;
  hash: string;
}

let place = readPlace();

function readPlace(): Place {
  const { pathname, search, hash } = window.location;
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  return { path: path || "/", query: new URLSearchParams(search), hash: decode(hash.slice(1)) };
}

/** Decode a part of an address; return it unchanged if it is malformed. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function changed(): void {
  place = readPlace();
  listeners.forEach((listener) => listener());
}

window.addEventListener("popstate", changed);
window.addEventListener("hashchange", changed);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** Go to a path. A place that is replaced is no step of the history. */
export function navigate(path: string, { replace = false } = {}): void {
  window.history[replace ? "replaceState" : "pushState"](null, "", BASE + path);
  changed();
}

/** The address of an item whose id may hold any character. */
export function pathTo(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/** The parameters of a path that matches a pattern such as `/runs/:run`; null if it does not. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/\/$/, "").split("/");
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return found;
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string; replace?: boolean };

/** A link within the console. A click with a modifier opens a new tab, as with any link. */
export function Link({ to, replace = false, onClick, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(to, { replace });
  }
  return <a href={BASE + to} onClick={follow} {...rest} />;
}

/** A link to a part of this page, by its fragment. It survives a reload and keeps the query. */
export function HashLink({ hash, ...rest }: Omit<LinkProps, "to"> & { hash: string }) {
  const { path, query } = usePlace();
  const search = query.size > 0 ? `?${query}` : "";
  return <Link to={`${path}${search}#${encodeURIComponent(hash)}`} {...rest} />;
}
