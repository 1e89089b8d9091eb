import { useServices } from "../app/context";
import { TargetPicker } from "../app/target-picker";
import { Link, pathTo } from "../app/router";
import { useWorld } from "../live/world";
import { Icon, type IconName } from "../parts/icon";
import { Nothing } from "../parts/notes";
import { Ago } from "../parts/time";
import { useTitle } from "../parts/use-title";

/** The other pages, on the phone, and the conversations. */
export function MoreScreen() {
  const { me } = useServices();
  const conversations = useWorld((world) => world.conversations);
  const views = me.application.views.filter((each) => each.listed || each.hasEvents);
  const pages: [string, string, IconName][] = [
    ...views.map((each): [string, string, IconName] => [
      pathTo("objects", each.kind),
      each.title,
      each.hasEvents ? "clock" : each.hasChanges ? "changes" : "file",
    ]),
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
        {conversations?.map((each) => (
          <Link key={each.conversation} to={pathTo("chat", each.conversation)}>
            <span className="grow">{each.title || "Untitled"}</span>
            <span className="meta">
              <Ago at={each.active} />
            </span>
          </Link>
        ))}
        {conversations?.length === 0 && <Nothing title="None yet." />}
      </nav>
    </>
  );
}
