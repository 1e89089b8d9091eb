import { useEffect } from "react";

/** The title of the page, as tabs and bookmarks show it. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Remit`;
  }, [title]);
}
