import type { ToolDocument } from "../wire";
import type { IconName } from "./icon";
import { readable } from "./words";

const BY_VERB: [RegExp, IconName][] = [
  [/\b(delete|remove|trash|discard|purge)\b/, "trash"],
  [/\b(undo|restore|revert|take back)\b/, "undo"],
  [/\b(search|find|look|query|grep)\b/, "search"],
  [/\b(mail|email|send|reply)\b/, "mail"],
  [/\b(translate|publish|locale|site|web|fetch)\b/, "globe"],
  [/\b(image|photo|picture)\b/, "image"],
  [/\b(remember|memory|forget|note)\b/, "memory"],
  [/\b(get|read|list|show|view|open|check|compare|count)\b/, "eye"],
  [/\b(create|draft|add|new|upload|write)\b/, "file"],
];

/** What a call touches, as a picture: by the first word of its tool that says so, else by its facts. */
export function iconOf(tool: string, facts: ToolDocument | undefined): IconName {
  const words = readable(tool);
  const found = BY_VERB.find(([pattern]) => pattern.test(words));
  if (found) return found[1];
  return facts?.effect === "pure" ? "eye" : "pen";
}
