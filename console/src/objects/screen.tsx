/** The objects of an application: lists, and each object before and after its changes. No line knows the application. */
import { useState } from "react";
import { withQuery } from "../api/api";
import { usePages } from "../api/pages";
import { useServices } from "../app/context";
import { Link, pathTo, usePlace } from "../app/router";
import { useTarget } from "../app/target";
import { Icon, type IconName } from "../parts/icon";
import { More } from "../parts/more";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Segments } from "../parts/seg";
import { useTitle } from "../parts/use-title";
import type { ObjectRowDocument, ViewDocument } from "../wire";
import { Calendar } from "./calendar";
import { ObjectPane } from "./object-pane";
import { iconOf } from "./view-icon";

const idOf = (row: ObjectRowDocument) => row.id;

export function ObjectsScreen({ kind, id }: { kind: string; id?: string }) {
  const { me } = useServices();
  const { query } = usePlace();
  const views = me.application.views;
  const view = views.find((each) => each.kind === kind);
  const alike = view?.listed ? views.filter((each) => each.listed && iconOf(each) === iconOf(view)) : [];
  const isMonth = view?.hasEvents === true && !id && query.get("look") !== "list";
  const title = view?.title ?? "Objects";
  useTitle(title);
  return (
    <>
      <header className="top">
        <h1 className={alike.length > 1 ? "" : "grow"}>{title}</h1>
        {view?.hasEvents && view.listed && !id && <Looks kind={kind} isMonth={isMonth} />}
        {alike.length > 1 && (
          <>
            <span className="grow" />
            <Segments
              label="Kinds"
              choices={alike.map((each) => ({
                to: pathTo("objects", each.kind),
                label: each.title,
                isCurrent: each.kind === kind,
              }))}
            />
          </>
        )}
      </header>
      {isMonth ? <Calendar kind={kind} title={title} /> : <Split kind={kind} id={id} view={view} />}
    </>
  );
}

/** A month, or the list. */
function Looks({ kind, isMonth }: { kind: string; isMonth: boolean }) {
  const choices = [
    { to: pathTo("objects", kind), label: "Month", isCurrent: isMonth },
    { to: withQuery(pathTo("objects", kind), { look: "list" }), label: "List", isCurrent: !isMonth },
  ];
  return <Segments label="Look" choices={choices} />;
}

/** The list, and the object that is picked. */
function Split({ kind, id, view }: { kind: string; id: string | undefined; view: ViewDocument | undefined }) {
  const isAlone = view?.listed === false;
  return (
    <div className={["split master sets", id && "has-item", isAlone && "alone"].filter(Boolean).join(" ")}>
      {isAlone ? null : (
        <ObjectList key={kind} kind={kind} title={view?.title ?? "Objects"} icon={iconOf(view)} current={id} />
      )}
      {id ? (
        <ObjectPane key={`${kind}/${id}`} kind={kind} id={id} />
      ) : (
        <section className="pane pad wide" aria-label="Object">
          <p className="meta">Nothing is picked.</p>
        </section>
      )}
    </div>
  );
}

function ObjectList({
  kind,
  title,
  icon,
  current,
}: {
  kind: string;
  title: string;
  icon: IconName;
  current: string | undefined;
}) {
  const [search, setSearch] = useState("");
  const path = withQuery(`/api/views/${encodeURIComponent(kind)}`, { search, target: useTarget() });
  const pages = usePages<ObjectRowDocument>(path, idOf, "after");
  const { items, error, reload } = pages;
  const groups = groupsOf(items ?? []);
  return (
    <nav className="pane list" aria-label={title} data-list>
      <label className="field list-find">
        <span className="hide">Search {title}</span>
        <Icon name="search" />
        <input
          data-key="/"
          value={search}
          placeholder={`Search ${title.toLowerCase()}`}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      {groups.map(([group, rows]) => (
        <section key={group} aria-label={group || title}>
          {group && (
            <h2>
              {group}
              <span>{rows.length}</span>
            </h2>
          )}
          {rows.map((row) => (
            <Link
              key={row.id}
              to={pathTo("objects", kind, row.id)}
              data-item
              aria-current={row.id === current ? "true" : undefined}
            >
              <Icon name={row.needsPerson ? "alert" : icon} tone={row.needsPerson ? "need" : ""} />
              <span className="grow">
                <b>{row.name}</b>
                <span className="meta">{row.note}</span>
              </span>
            </Link>
          ))}
        </section>
      ))}
      {!items && (error ? <Failed error={error} retry={reload} /> : <Loading />)}
      {items?.length === 0 && <Nothing title={search ? "Nothing matches." : "Nothing yet."} />}
      <More {...pages} />
    </nav>
  );
}

/** Rows by their headings, in the order in which the application lists them. */
function groupsOf(rows: ObjectRowDocument[]): [string, ObjectRowDocument[]][] {
  const groups = new Map<string, ObjectRowDocument[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups];
}
