import { useMemo } from "react";
import { useResource } from "../api/resources";
import type { Listed, ToolDocument } from "../wire";

/** The facts of the tools that the signed-in person may see, by name. */
export function useFacts(): Record<string, ToolDocument> {
  const { data } = useResource<Listed<ToolDocument>>("/api/tools");
  return useMemo(() => Object.fromEntries((data?.items ?? []).map((each) => [each.name, each])), [data]);
}
