/** Tools: what agents may call, what governs each, and a way to try it. */
import { useMemo, useState } from "react";
import { useResource } from "../api/resources";
import { Link, pathTo } from "../app/router";
import { iconOf } from "../parts/call-icon";
import { Icon } from "../parts/icon";
import { Failed, Loading, Nothing } from "../parts/notes";
import { plainSentence } from "../parts/sentence";
import { useTitle } from "../parts/use-title";
import { count, readable, capitalize } from "../parts/words";
import type { Listed, ToolDocument } from "../wire";
import { Contract } from "./contract";

export function ToolsScreen({ name }: { name?: string }) {
  const { data, error, reload } = useResource<Listed<ToolDocument>>("/api/tools");
  const [search, setSearch] = useState("");
  const groups = useMemo(() => groupsOf((data?.items ?? []).filter((each) => matches(each, search))), [data, search]);
  const tool = data?.items.find((each) => each.name === name);
  useTitle(tool ? titleOf(tool) : "Tools");
  return (
    <>
      <header className="top">
        <h1>Tools</h1>
        <span className="meta grow">{data && count(data.items.length, "tool")}</span>
        <label className="field find">
          <span className="hide">Search tools</span>
          <Icon name="search" />
          <input
            data-key="/"
            value={search}
            placeholder="What it does, or its name"
            onChange={(event) => setSearch(event.target.value)}
          />
          <kbd>/</kbd>
        </label>
      </header>
      <div className={name ? "split master tools has-item" : "split master tools"}>
        <nav className="pane list" aria-label="Tools" data-list>
          {groups.map(([group, tools]) => (
            <section key={group} aria-label={group}>
              <h2>
                {group}
                <span>{tools.length}</span>
              </h2>
              {tools.map((each) => (
                <Link
                  key={each.name}
                  to={pathTo("tools", each.name)}
                  data-item
                  aria-current={each.name === name ? "true" : undefined}
                >
                  <Icon name={iconOf(each.name, each)} />
                  <span className="grow">
                    <b>{titleOf(each)}</b>
                    <span className="meta">{inShort(each)}</span>
                  </span>
                </Link>
              ))}
            </section>
          ))}
          {!data && (error ? <Failed error={error} retry={reload} /> : <Loading rows={6} />)}
          {data && groups.length === 0 && <Nothing title={search ? "No tool matches." : "There are no tools."} />}
        </nav>
        {tool ? (
          <Contract key={tool.name} tool={tool} />
        ) : (
          <section className="pane pad wide" aria-label="Tool">
            {data && name ? (
              <Nothing title="There is no such tool." />
            ) : (
              <p className="meta">Pick a tool to see what it takes and what governs it.</p>
            )}
          </section>
        )}
      </div>
    </>
  );
}

export function titleOf(tool: ToolDocument): string {
  return tool.sentence.text || plainSentence(tool.name).text;
}

/** The facts that matter at a glance. */
export function inShort({ effect, risk, egress, declared }: ToolDocument): string {
  const words = [
    effect === "pure" ? "reads" : effect === "composed" ? "calls other tools" : "changes",
    risk === "high" ? "high risk, asks" : "",
    egress ? "sends data out" : "",
    declared ? "" : "undeclared, asks",
  ];
  return words.filter(Boolean).join(" · ");
}

function matches(tool: ToolDocument, search: string): boolean {
  const text = `${titleOf(tool)} ${tool.name} ${readable(tool.name)} ${tool.description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Tools by their group, else by the prefix of their names. */
function groupsOf(tools: ToolDocument[]): [string, ToolDocument[]][] {
  const groups = new Map<string, ToolDocument[]>();
  for (const tool of tools) {
    const prefix = /^([a-z0-9]+)_(?=[a-z]+[A-Z])/.exec(tool.name)?.[1];
    const group = prefix ? titleOfPrefix(prefix) : "Tools";
    groups.set(group, [...(groups.get(group) ?? []), tool]);
  }
  return [...groups];
}

function titleOfPrefix(prefix: string): string {
  return prefix.length <= 3 ? prefix.toUpperCase() : capitalize(prefix);
}
