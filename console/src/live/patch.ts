import type { JsonPatch } from "../events";

/** Apply a JSON Patch of adds, replacements and removals to a value. The value is not changed. */
export function applyPatch(value: unknown, patches: JsonPatch[]): unknown {
  return patches.reduce<unknown>((now, patch) => applyOne(now, partsOf(patch.path), patch), value);
}

function partsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function applyOne(value: unknown, [head, ...rest]: string[], patch: JsonPatch): unknown {
  if (head === undefined) return patch.op === "remove" ? null : patch.value;
  if (Array.isArray(value)) {
    const index = head === "-" ? value.length : Number(head);
    if (rest.length > 0) return value.with(index, applyOne(value[index], rest, patch));
    if (patch.op === "replace") return value.with(index, patch.value);
    return patch.op === "add" ? value.toSpliced(index, 0, patch.value) : value.toSpliced(index, 1);
  }
  const object = { ...(value as Record<string, unknown> | null) };
  if (rest.length === 0 && patch.op === "remove") delete object[head];
  else object[head] = applyOne(object[head], rest, patch);
  return object;
}
