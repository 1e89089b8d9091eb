/** Settings: the model, agents, people, tokens, schedules, usage, you. */
import type { ReactNode } from "react";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { useTitle } from "../parts/use-title";
import type { Me } from "../wire";
import { Agents } from "./agents";
import { ModelPart } from "./model";
import { People } from "./people";
import { Schedules } from "./schedules";
import { Tokens } from "./tokens";
import { UsagePart } from "./usage";
import { You } from "./you";

interface SettingsPart {
  name: string;
  title: string;
  Part: () => ReactNode;
  /** Who sees it, if not everybody. */
  isFor?: (me: Me) => boolean;
}

const PARTS: SettingsPart[] = [
  { name: "model", title: "Model", Part: ModelPart },
  { name: "agents", title: "Agents", Part: Agents },
  { name: "people", title: "People", Part: People, isFor: (me) => me.can.managePeople },
  { name: "tokens", title: "Tokens", Part: Tokens, isFor: (me) => me.account },
  { name: "schedules", title: "Schedules", Part: Schedules },
  { name: "usage", title: "Usage", Part: UsagePart },
  { name: "you", title: "You", Part: You },
];

export function SettingsScreen({ part = "model" }: { part?: string }) {
  const { me } = useServices();
  const parts = PARTS.filter((each) => each.isFor?.(me) ?? true);
  const found = parts.find((each) => each.name === part) ?? parts[0]!;
  useTitle(found.title);
  return (
    <>
      <header className="top">
        <h1>Settings</h1>
      </header>
      <div className="split settings">
        <nav className="pane list" aria-label="Settings">
          {parts.map((each) => (
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
