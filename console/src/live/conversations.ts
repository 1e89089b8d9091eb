/** The conversations that were read: one's own and those of others, each list page by page. */
import { withQuery } from "../api/api";
import type { ConversationDocument, Listed } from "../wire";

/** One's own, or those of others. */
export type Whose = "self" | "others";

export interface Conversations {
  /** The most recently active first. */
  rows: ConversationDocument[];
  /** Where each list goes on; empty at its end. */
  next: Record<Whose, string>;
  /** How many of each list were read. */
  read: Record<Whose, number>;
}

export const NONE_READ: Conversations = { rows: [], next: { self: "", others: "" }, read: { self: 0, others: 0 } };
const PAGE = 50;
const MOST = 1000;

/** The address of a page. */
export function pagePath(whose: Whose, { before, limit = PAGE }: { before?: string; limit?: number }): string {
  return withQuery("/api/conversations", { owner: whose, limit, before });
}

/** The page that has a list again as far as it was read. */
export function reread(known: Conversations | null, whose: Whose): { limit: number } {
  return { limit: Math.min(MOST, Math.max(PAGE, known?.read[whose] ?? 0)) };
}

/** The conversations with a page that follows. Rows that are known already are newer. */
export function withPage(known: Conversations | null, whose: Whose, page: Listed<ConversationDocument>): Conversations {
  const { rows, next, read } = known ?? NONE_READ;
  return {
    rows: merge(page.items, rows),
    next: { ...next, [whose]: page.next },
    read: { ...read, [whose]: read[whose] + page.items.length },
  };
}

/** The conversations with one in its newest state. */
export function withRow(known: Conversations, row: ConversationDocument): Conversations {
  return { ...known, rows: merge(known.rows, [row]) };
}

function merge(rows: ConversationDocument[], newer: ConversationDocument[]): ConversationDocument[] {
  const changed = new Set(newer.map((each) => each.conversation));
  return [...newer, ...rows.filter((each) => !changed.has(each.conversation))].sort((a, b) => b.active - a.active);
}
