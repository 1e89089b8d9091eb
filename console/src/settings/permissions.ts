/** Permissions in words: those that Remit or the application declares, others by their parts. */
import { useMemo } from "react";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { readable } from "../parts/words";
import type { Listed, PermissionDocument, ToolDocument } from "../wire";

/** What a holder may do: without other words, `cms:publish@bakery` is "publish in cms, for bakery". */
export function meaningOf(permission: string, declared: PermissionDocument[]): string {
  const [name = "", target] = permission.split("@");
  const [area = "", ...verbs] = name.split(":");
  const verb = verbs.join(" ");
  const plain = verb ? `${verb === "*" ? "everything" : readable(verb)} in ${area}` : readable(area);
  const words = declared.find((each) => each.name === name)?.meaning ?? plain;
  return target ? `${words}, for ${target}` : words;
}

/** What permissions allow, in the words of the application: of one, and of all. What they do not name is not allowed. */
export function usePermissionWords(): {
  meaningOf: (permission: string) => string;
  permissionWords: (permissions: string[]) => string;
} {
  const { permissions: declared } = useServices().me.application;
  return useMemo(() => {
    const words = (permission: string) => meaningOf(permission, declared);
    return { meaningOf: words, permissionWords: (permissions) => permissions.map(words).join(", ") };
  }, [declared]);
}

/** The permissions that a holder of `may` can give: those with words, and those of the tools. */
export function usePermissions(may: string[]): string[] {
  const { permissions } = useServices().me.application;
  const { data } = useResource<Listed<ToolDocument>>("/api/tools");
  return useMemo(() => {
    const ofTools = (data?.items ?? []).flatMap((each) => each.permissions);
    const known = [...permissions.map((each) => each.name), ...ofTools];
    const covered = may.includes("*") ? known : known.filter((each) => may.some((own) => covers(own, each)));
    return [...new Set([...covered, ...may])].sort();
  }, [permissions, data, may]);
}

function covers(own: string, permission: string): boolean {
  return own === permission || (own.endsWith(":*") && permission.startsWith(own.slice(0, -1)));
}
