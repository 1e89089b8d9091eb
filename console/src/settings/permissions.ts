/** Permissions in words, for those that Remit itself checks. Others are those of the tools. */
import { useMemo } from "react";
import { useResource } from "../api/resources";
import type { Listed, ToolDocument } from "../wire";

export const MEANINGS: Record<string, string> = {
  "*": "everything",
  "approvals:decide": "answer others’ questions",
  "conversations:join": "take part in others’ conversations",
  "conversations:manage": "manage others’ conversations",
  "models:choose": "choose the model",
  "people:manage": "manage people and roles",
  "runs:cancel": "stop others’ runs",
  "runs:loosen": "let runs go on without a rule",
  "runs:read": "see others’ runs",
};

export function permissionWords(permissions: string[]): string {
  return permissions.map((each) => MEANINGS[each] ?? each).join(", ");
}

/** The permissions that a holder of `may` can give: Remit's own and those of the tools. */
export function usePermissions(may: string[]): string[] {
  const { data } = useResource<Listed<ToolDocument>>("/api/tools");
  return useMemo(() => {
    const known = [...Object.keys(MEANINGS), ...(data?.items ?? []).flatMap((each) => each.permissions)];
    const covered = may.includes("*") ? known : known.filter((each) => may.some((own) => covers(own, each)));
    return [...new Set([...covered, ...may])].sort();
  }, [data, may]);
}

function covers(own: string, permission: string): boolean {
  return own === permission || (own.endsWith(":*") && permission.startsWith(own.slice(0, -1)));
}
