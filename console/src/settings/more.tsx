import { useServices } from "../app/context";
import { MoreConversations, useConversations } from "../app/conversations";
import { TargetPicker } from "../app/target-picker";
import { Link, pathTo } from "../app/router";
import { iconOf } from "../objects/view-icon";
import { Icon, type IconName } from "../parts/icon";
import { Nothing } from "../parts/notes";
import { Ago } from "../parts/time";
import { useTitle } from "../parts/use-title";
import type { ConversationDocument } from "../wire";

/** The other pages, on the phone, and the conversations. */
export function MoreScreen() {
  const { me } = useServices();
  const found = useConversations();
  const views = me.application.views.filter((each) => each.listed || each.hasEvents);
  const pages: [string, string, IconName][] = [
    ...views.map((each): [string, string, IconName] => [pathTo("objects", each.kind), each.title, iconOf(each)]),
    ["/tools", "Tools", "tools"],
    ["/policy", "Policy", "policy"],
    ["/settings", "Settings", "settings"],
  ];
  useTitle("More");
  return (
    <>
      <header className="top">
        <h1>More</h1>
      </header>
      <TargetPicker />
      <nav className="pane list" aria-label="More pages">
        {pages.map(([to, title, icon]) => (
          <Link key={to} to={to}>
            <Icon name={icon} />
            <span className="grow">{title}</span>
          </Link>
        ))}
        <h2>Conversations</h2>
        {found?.self.map((each) => (
          <Row key={each.conversation} row={each} />
        ))}
        {found?.self.length === 0 && <Nothing title="None yet." />}
        <MoreConversations whose="self" />
        {found && found.others.length > 0 && <h2>Of other people</h2>}
        {found?.others.map((each) => (
          <Row key={each.conversation} row={each} owner={each.owner} />
        ))}
        <MoreConversations whose="others" />
      </nav>
    </>
  );
}

function Row({ row, owner }: { row: ConversationDocument; owner?: string }) {
  return (
    <Link to={pathTo("chat", row.conversation)}>
      <span className="grow">
        {row.title || "Untitled"} {owner && <span className="meta">{owner}</span>}
      </span>
      <span className="meta">
        <Ago at={row.active} />
      </span>
    </Link>
  );
}
