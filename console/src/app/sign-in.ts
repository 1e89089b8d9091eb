import type { Api } from "../api/api";

/** Where to sign in, and to come back to this page from. */
export function signInAddress(api: Api): string {
  const next = window.location.pathname + window.location.search;
  return `${api.url("/login")}?next=${encodeURIComponent(next)}`;
}
