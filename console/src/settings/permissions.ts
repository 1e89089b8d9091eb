/** Permissions in words: those that Remit itself checks by their meaning, those of tools by their parts. */
import { useMemo } from "react";
import { useResource } from "../api/resources";
import { readable } from "../parts/words";
import type { Listed, ToolDocument } from "../wire";

const MEANINGS: Record<string, string> = {
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

/** What a holder may do: `cms:publish@bakery` is "publish in cms, for bakery". */
export function meaningOf(permission: string): string {
  const [name = "", target] = permission.split("@");
  const [area = "", ...verbs] = name.split(":");
  const verb = verbs.join(" ");
  const words =
    MEANINGS[name] ?? (verb ? `${verb === "*" ? "everything" : readable(verb)} in ${area}` : readable(area));
  return target ? `${words}, for ${target}` : words;
}

/** Everything that a holder of permissions may do. What they do not name, a holder may not. */
export function permissionWords(permissions: string[]): string {
  return permissions.map(meaningOf).join(", ");
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
