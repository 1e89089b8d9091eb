/** Settings: you, agents and their models, schedules, usage. */
import type { ReactNode } from "react";
import { Link, pathTo } from "../app/router";
import { useTitle } from "../parts/use-title";
import { Agents } from "./agents";
import { Schedules } from "./schedules";
import { UsagePart } from "./usage";
import { You } from "./you";

const PARTS: { name: string; title: string; Part: () => ReactNode }[] = [
  { name: "agents", title: "Agents", Part: Agents },
  { name: "schedules", title: "Schedules", Part: Schedules },
  { name: "usage", title: "Usage", Part: UsagePart },
  { name: "you", title: "You", Part: You },
];

export function SettingsScreen({ part = "agents" }: { part?: string }) {
  const found = PARTS.find((each) => each.name === part) ?? PARTS[0]!;
  useTitle(found.title);
  return (
    <>
      <header className="top">
        <h1>Settings</h1>
      </header>
      <div className="split settings">
        <nav className="pane list" aria-label="Settings">
          {PARTS.map((each) => (
            <Link key={each.name} to={pathTo("settings", each.name)} aria-current={each === found ? "true" : undefined}>
              {each.title}
            </Link>
          ))}
        </nav>
        <div className="pane pad" tabIndex={0} role="region" aria-label={found.title}>
          <h2>{found.title}</h2>
          <found.Part />
        </div>
      </div>
    </>
  );
}
