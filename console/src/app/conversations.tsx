/** The conversations that the reader may see: one's own first, then those of others with their owners. */
import { type ReactNode, useCallback, useMemo, useRef } from "react";
import type { Whose } from "../live/conversations";
import { selectOpen, useWorld } from "../live/world";
import { Icon } from "../parts/icon";
import { More, useReading } from "../parts/more";
import { Ago } from "../parts/time";
import { useVisible } from "../parts/use-visible";
import type { ConversationDocument } from "../wire";
import { useServices } from "./context";
import { Link, pathTo, usePlace } from "./router";

/** The conversations by whose they are, each the most recent first; null until they are read. */
export function useConversations(): Record<Whose, ConversationDocument[]> | null {
  const { me } = useServices();
  const rows = useWorld((world) => world.conversations?.rows);
  return useMemo(
    () =>
      rows
        ? {
            self: rows.filter((each) => each.owner === me.name),
            others: rows.filter((each) => each.owner !== me.name),
          }
        : null,
    [rows, me.name],
  );
}

/** The way to those of one's own conversations, or of others, that were not read. */
export function MoreConversations({ whose }: { whose: Whose }) {
  const { world } = useServices();
  const hasMore = useWorld((state) => Boolean(state.conversations?.next[whose]));
  const read = useCallback(() => world.readMoreConversations(whose), [world, whose]);
  return <More hasMore={hasMore} {...useReading(read)} />;
}

interface Part {
  height: number;
  /** `waiting` are the conversations with an open question. */
  draw: (waiting: Set<string>) => ReactNode;
}

const HEIGHTS = { own: 34, others: 46, heading: 42 };

/** The conversations in the rail. Only those in view are drawn. */
export function RailConversations() {
  const problem = useWorld((world) => world.problem);
  const questions = useWorld((world) => world.questions);
  const waiting = useMemo(() => new Set(selectOpen(questions).map((each) => each.conversation)), [questions]);
  const found = useConversations();
  const box = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => (found ? partsOf(found) : []), [found]);
  const heights = useMemo(() => parts.map((each) => each.height), [parts]);
  const { first, end, above, below } = useVisible(box, heights);
  return (
    <>
      <h2>
        Conversations
        <Link className="b bare tiny" to="/chat" aria-label="New conversation">
          <Icon name="plus" />
        </Link>
      </h2>
      {found?.self.length === 0 && <p className="meta none">None yet</p>}
      {found === null && problem && <p className="meta none">They could not be read</p>}
      <div className="talks" ref={box}>
        <div style={{ height: above }} />
        {parts.slice(first, end).map((each) => each.draw(waiting))}
        <div style={{ height: below }} />
        {found && <MoreConversations whose="others" />}
      </div>
    </>
  );
}

/** What stands in the rail: one's own conversations, the way to more of them, and those of others. */
function partsOf({ self, others }: Record<Whose, ConversationDocument[]>): Part[] {
  const row = (each: ConversationDocument, height: number): Part => ({
    height,
    draw: (waiting) => <RailRow key={each.conversation} row={each} waits={waiting.has(each.conversation)} />,
  });
  return [
    ...self.map((each) => row(each, HEIGHTS.own)),
    { height: 0, draw: () => <MoreConversations key="more" whose="self" /> },
    ...(others.length > 0 ? [{ height: HEIGHTS.heading, draw: () => <h2 key="others">Of other people</h2> }] : []),
    ...others.map((each) => row(each, HEIGHTS.others)),
  ];
}

function RailRow({ row, waits }: { row: ConversationDocument; waits: boolean }) {
  const { me } = useServices();
  const { path } = usePlace();
  const to = pathTo("chat", row.conversation);
  const isOwn = row.owner === me.name;
  return (
    <Link className={isOwn ? "to talk" : "to talk two"} to={to} aria-current={path === to ? "true" : undefined}>
      <span>
        {row.title || "Untitled"}
        {!isOwn && <small>{row.owner}</small>}
      </span>
      {waits ? (
        <span className="dot" role="img" aria-label="A question waits here" />
      ) : (
        <span className="meta">
          <Ago at={row.active} />
        </span>
      )}
    </Link>
  );
}
