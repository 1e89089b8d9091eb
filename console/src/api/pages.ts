import { useCallback, useEffect, useMemo, useState } from "react";
import { useServices } from "../app/context";
import type { Listed } from "../wire";
import { useResource } from "./resources";

/** A list that is read page by page. The first page is read again when it changes. */
export function usePages<T>(path: string, keyOf: (item: T) => string) {
  const { api } = useServices();
  const first = useResource<Listed<T>>(path);
  const [more, setMore] = useState<{ path: string; items: T[]; next: string | null }>({ path, items: [], next: null });
  const [isReading, setReading] = useState(false);
  const mine = more.path === path ? more : { path, items: [], next: null };
  const next = mine.next ?? first.data?.next ?? "";

  const readMore = useCallback(() => {
    if (!next || isReading) return;
    setReading(true);
    const separator = path.includes("?") ? "&" : "?";
    api
      .get<Listed<T>>(`${path}${separator}before=${encodeURIComponent(next)}`)
      .then((page) => setMore({ path, items: [...mine.items, ...page.items], next: page.next }))
      .catch(() => undefined)
      .finally(() => setReading(false));
  }, [api, path, next, isReading, mine.items]);

  useEffect(() => setReading(false), [path]);
  const items = useMemo(() => {
    if (!first.data) return undefined;
    const known = new Set(first.data.items.map(keyOf));
    return [...first.data.items, ...mine.items.filter((each) => !known.has(keyOf(each)))];
  }, [first.data, mine.items, keyOf]);
  return { items, error: first.error, reload: first.reload, hasMore: next !== "", readMore };
}
