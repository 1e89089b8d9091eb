import { useCallback, useMemo, useState } from "react";
import { useServices } from "../app/context";
import type { Listed } from "../wire";
import { useResource } from "./resources";

interface Further<T> {
  path: string | null;
  /** What was read so far, the first page included. */
  items: T[];
  /** Where the next page begins; null before a second page was asked for. */
  next: string | null;
  isReading: boolean;
  error: Error | undefined;
}

const NOTHING: Further<never> = { path: null, items: [], next: null, isReading: false, error: undefined };

export interface Pages<T> {
  items: T[] | undefined;
  error: Error | undefined;
  /** Begin anew with the first page. */
  reload: () => void;
  hasMore: boolean;
  readMore: () => void;
  isReading: boolean;
  /** Why the next page could not be read. */
  moreError: Error | undefined;
}

/**
 * A list that is read page by page. The first page is read again when it changes; what was read of the others stays as
 * long as the two join. `cursor` is the name by which the server takes the `next` of a page.
 */
export function usePages<T>(
  path: string | null,
  keyOf: (item: T) => string,
  cursor: "before" | "after" = "before",
): Pages<T> {
  const { api } = useServices();
  const first = useResource<Listed<T>>(path);
  const [read, setRead] = useState<Further<T>>(NOTHING);
  const further = useMemo(() => {
    if (!first.data || read.path !== path) return NOTHING;
    const known = new Set(read.items.map(keyOf));
    const joins = first.data.next !== "" && first.data.items.some((each) => known.has(keyOf(each)));
    return joins ? read : NOTHING;
  }, [first.data, read, path, keyOf]);
  const items = useMemo(() => {
    if (!first.data) return undefined;
    const known = new Set(first.data.items.map(keyOf));
    return [...first.data.items, ...further.items.filter((each) => !known.has(keyOf(each)))];
  }, [first.data, further.items, keyOf]);
  const next = further.next ?? first.data?.next ?? "";

  const readMore = useCallback(() => {
    if (!path || !items || !next || further.isReading) return;
    const asked: Further<T> = { path, items, next, isReading: true, error: undefined };
    const settle = (change: Partial<Further<T>>) =>
      setRead((now) => (now === asked ? { ...asked, isReading: false, ...change } : now));
    setRead(asked);
    const separator = path.includes("?") ? "&" : "?";
    api.get<Listed<T>>(`${path}${separator}${cursor}=${encodeURIComponent(next)}`).then(
      (page) => settle({ items: [...items, ...page.items], next: page.next }),
      (error: Error) => settle({ error }),
    );
  }, [api, path, cursor, items, next, further.isReading]);

  const readFirst = first.reload;
  const reload = useCallback(() => {
    setRead(NOTHING);
    readFirst();
  }, [readFirst]);
  return {
    items,
    error: first.error,
    reload,
    hasMore: next !== "",
    readMore,
    isReading: further.isReading,
    moreError: further.error,
  };
}
