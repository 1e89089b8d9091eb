import { usePlace } from "../app/router";

/** The part of a page that its address names with `?tab=`; the first one otherwise. */
export function useTabs<T extends string>(tabs: readonly [T, ...T[]]): T {
  const wanted = usePlace().query.get("tab");
  return tabs.find((each) => each === wanted) ?? tabs[0];
}
