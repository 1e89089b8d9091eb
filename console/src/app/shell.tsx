import { type ReactNode, useMemo } from "react";
import { useNotifications } from "../inbox/notify";
import { useWorld, waitsInInbox } from "../live/world";
import { iconOf } from "../objects/view-icon";
import { Icon, type IconName } from "../parts/icon";
import { useServices } from "./context";
import { RailConversations } from "./conversations";
import { TargetPicker } from "./target-picker";
import { Connection } from "./connection";
import { GlobalKeys } from "./global-keys";
import { Link, pathTo, usePlace } from "./router";

interface Target {
  to: string;
  label: string;
  icon: IconName;
}

const FIRST: Target[] = [
  { to: "/chat", label: "Chat", icon: "chat" },
  { to: "/inbox", label: "Inbox", icon: "inbox" },
  { to: "/runs", label: "Runs", icon: "runs" },
];

/** The rail or the tab bar, and the page beside it. */
export function Shell({ children }: { children: ReactNode }) {
  const { me } = useServices();
  useNotifications();
  const views = me.application.views;
  const listed = views.filter((each) => each.listed);
  const changes = listed.filter((each) => iconOf(each) === "changes");
  const calendars = views.filter((each) => iconOf(each) === "clock");
  const contents = listed.filter((each) => iconOf(each) === "file").slice(0, 1);
  const targets: Target[] = [
    ...FIRST,
    ...[...changes, ...calendars, ...contents].map((each): Target => ({
      to: pathTo("objects", each.kind),
      label: each.title,
      icon: iconOf(each),
    })),
    { to: "/tools", label: "Tools", icon: "tools" },
    { to: "/policy", label: "Policy", icon: "policy" },
  ];
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <div className="shell">
        <nav className="rail" aria-label="Main">
          <Brand />
          <TargetPicker />
          {targets.map((each) => (
            <Entry key={each.to} {...each} />
          ))}
          <RailConversations />
          <footer>
            <Entry to="/settings" label="Settings" icon="settings" />
            <Entry to="/settings/you" label={me.name} icon="person" />
          </footer>
        </nav>
        <main className="page" id="main" tabIndex={-1}>
          <Connection />
          {children}
        </main>
        <nav className="tabbar" aria-label="Main, phone">
          {targets.slice(0, 3).map((each) => (
            <Entry key={each.to} {...each} isTab />
          ))}
          <Entry to="/more" label="More" icon="more" isTab />
        </nav>
      </div>
      <GlobalKeys targets={targets.map((each) => each.to)} />
    </>
  );
}

function skip(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Brand() {
  const { me } = useServices();
  return (
    <Link className="brand" to="/chat" aria-label={`Remit ${me.application.name}`}>
      <Mark />
      <span>
        Remit <small>{me.application.name}</small>
      </span>
    </Link>
  );
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 22 22" aria-hidden="true">
      <rect width="22" height="22" rx="6" fill="var(--text)" />
      <path
        d="M7 16V6h4.5a3 3 0 0 1 0 6H7m4.5 0 3.5 4"
        fill="none"
        stroke="var(--canvas)"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

function Entry({ to, label, icon, isTab = false }: Target & { isTab?: boolean }) {
  const { path } = usePlace();
  const isCurrent = to === "/settings" ? path === to : path === to || path.startsWith(`${to}/`);
  return (
    <Link
      className={isTab ? "" : "to"}
      to={to}
      aria-current={isCurrent ? "page" : undefined}
      title={isTab ? undefined : label}
    >
      <Icon name={icon} />
      <span className="label">{label}</span>
      {to === "/inbox" && <Waiting />}
    </Link>
  );
}

/** The count of questions that wait for the reader. Only the inbox counts in amber. */
function Waiting() {
  const questions = useWorld((world) => world.questions);
  const count = useMemo(() => Object.values(questions).filter(waitsInInbox).length, [questions]);
  if (count === 0) return null;
  return (
    <span className="count">
      {count}
      <span className="hide"> {count === 1 ? "question waits" : "questions wait"}</span>
    </span>
  );
}
