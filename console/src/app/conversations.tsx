/** The conversations that the reader may see: one's own first, then those of others with their owners. */
import { useMemo } from "react";
import { selectOpen, useWorld } from "../live/world";
import { Icon } from "../parts/icon";
import { Ago } from "../parts/time";
import type { ConversationDocument } from "../wire";
import { useServices } from "./context";
import { Link, pathTo, usePlace } from "./router";

/** The conversations by whose they are, each the most recent first; null until they are read. */
export function useConversations(): { own: ConversationDocument[]; others: ConversationDocument[] } | null {
  const { me } = useServices();
  const rows = useWorld((world) => world.conversations);
  return useMemo(
    () =>
      rows && {
        own: rows.filter((each) => each.owner === me.name),
        others: rows.filter((each) => each.owner !== me.name),
      },
    [rows, me.name],
  );
}

/** The conversations in the rail. */
export function RailConversations() {
  const problem = useWorld((world) => world.problem);
  const questions = useWorld((world) => world.questions);
  const waiting = useMemo(() => new Set(selectOpen(questions).map((each) => each.conversation)), [questions]);
  const found = useConversations();
  const row = (each: ConversationDocument) => (
    <RailRow key={each.conversation} row={each} waits={waiting.has(each.conversation)} />
  );
  return (
    <>
      <h2>
        Conversations
        <Link className="b bare tiny" to="/chat" aria-label="New conversation">
          <Icon name="plus" />
        </Link>
      </h2>
      {found?.own.length === 0 && <p className="meta none">None yet</p>}
      {found === null && problem && <p className="meta none">They could not be read</p>}
      <div className="talks">
        {found?.own.map(row)}
        {found && found.others.length > 0 && (
          <>
            <h2>Of other people</h2>
            {found.others.map(row)}
          </>
        )}
      </div>
    </>
  );
}

function RailRow({ row, waits }: { row: ConversationDocument; waits: boolean }) {
  const { me } = useServices();
  const { path } = usePlace();
  const to = pathTo("chat", row.conversation);
  return (
    <Link className="to talk" to={to} aria-current={path === to ? "true" : undefined}>
      <span>
        {row.title || "Untitled"}
        {row.owner !== me.name && <small>{row.owner}</small>}
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
