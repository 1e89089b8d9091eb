import { useState } from "react";
import { withQuery } from "../api/api";
import { callTool } from "../api/calls";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { HashLink, Link, navigate, pathTo, usePlace } from "../app/router";
import { useTarget } from "../app/target";
import { Icon } from "../parts/icon";
import { Failed, Loading, Note, Problem } from "../parts/notes";
import { Switch } from "../parts/seg";
import type { ObjectActionDocument, ObjectDocument, ObjectPageDocument } from "../wire";
import { objectPath, PageFrame } from "./page-frame";
import { ChangeTable } from "../question/change-table";
import { ObjectSections } from "./sections";

type Look = "pages" | "rows" | "sections";

/** One object: its pages before and after, its changes, and what can be done with it. */
export function ObjectPane({ kind, id }: { kind: string; id: string }) {
  const { hash, query } = usePlace();
  const { me } = useServices();
  const isListed = me.application.views.some((each) => each.kind === kind && (each.listed || each.hasEvents));
  const list = withQuery(pathTo("objects", kind), { month: query.get("month") ?? undefined });
  const target = useTarget();
  const { data, error, reload } = useResource<ObjectDocument>(objectPath(kind, id, { target }));
  const [look, setLook] = useState<Look>("pages");
  const pages = data?.pages ?? [];
  const page = pages.find((each) => each.title === hash) ?? pages[0];
  const looks = data ? looksOf(data) : [];
  return (
    <section className="pane" aria-label={data?.name ?? "Object"}>
      <header className="sethead">
        {isListed && (
          <Link className="b bare tiny slim" to={list} aria-label="Back to the list">
            <Icon name="left" />
          </Link>
        )}
        <div className="grow">
          <h2>{data?.name ?? ""}</h2>
          <p className="meta">{data?.note}</p>
        </div>
        {data && <Actions detail={data} />}
      </header>
      {!data && <div className="body">{error ? <Failed error={error} retry={reload} /> : <Loading rows={4} />}</div>}
      {data?.blocked && (
        <div className="inset">
          <Note tone="need" icon="alert">
            {data.blocked}
          </Note>
        </div>
      )}
      {pages.length > 0 && (
        <div className="docs">
          <nav className="tabs" aria-label="Pages">
            {pages.map((each) => (
              <HashLink key={each.title} hash={each.title} replace aria-current={each === page ? "true" : undefined}>
                {each.title} {!each.before && <span className="chip">new</span>}
                {!each.after && <span className="chip fail">{data?.isPast ? "went away" : "goes away"}</span>}
              </HashLink>
            ))}
          </nav>
          {looks.length > 1 && <Switch label="Show" value={look} onChange={setLook} options={looks} />}
        </div>
      )}
      {page && look === "pages" && <Twin page={page} isPast={data?.isPast ?? false} />}
      {data && page && look === "rows" && (
        <div className="body" tabIndex={0} role="region" aria-label="Changes">
          <ChangeTable rows={data.changes} />
        </div>
      )}
      {data && (!page || look === "sections") && (
        <div className="body" tabIndex={0} role="region" aria-label="Content">
          <ObjectSections detail={page ? { ...data, changes: [] } : data} />
        </div>
      )}
    </section>
  );
}

/** The ways to look at an object that has pages: these, its changes in words, and what else there is to say about it. */
function looksOf({ changes, sections }: ObjectDocument): { value: Look; label: string }[] {
  const [first, ...more] = sections;
  return [
    { value: "pages", label: "Pages" },
    ...(changes.length ? [{ value: "rows" as const, label: `Words ${changes.length}` }] : []),
    ...(first ? [{ value: "sections" as const, label: more.length ? "Details" : first.title }] : []),
  ];
}

/** The words of both sides, for changes to come and for those that have been made. */
const SIDES = {
  coming: ["As it is", "There is no such page yet.", "After the changes", "The page goes away."],
  past: ["Before the changes", "There was no such page.", "As it is", "The page went away."],
} as const;

/** The page before and after, side by side; one alone if nothing changes. */
function Twin({ page, isPast }: { page: ObjectPageDocument; isPast: boolean }) {
  const [before, noneBefore, after, noneAfter] = SIDES[isPast ? "past" : "coming"];
  if (page.before === page.after) {
    return (
      <div className="twin single">
        <Half title="As it is" page={page} address={page.after} />
      </div>
    );
  }
  return (
    <div className="twin" tabIndex={0} role="region" aria-label="The page before and after">
      <Half title={before} page={page} address={page.before} missing={noneBefore} />
      <Half title={after} note={page.note} page={page} address={page.after} missing={noneAfter} />
    </div>
  );
}

interface HalfProps {
  title: string;
  note?: string;
  page: ObjectPageDocument;
  address: string;
  missing?: string;
}

function Half({ title, note = "", page, address, missing = "" }: HalfProps) {
  return (
    <section className="half" aria-label={title}>
      <h3>
        {title} <span className="meta">{note}</span>
      </h3>
      {address ? (
        <PageFrame title={`${page.title}, ${title.toLowerCase()}`} address={address} />
      ) : (
        <Void>{missing}</Void>
      )}
    </section>
  );
}

function Void({ children }: { children: string }) {
  return <div className="void whole">{children}</div>;
}

/** What takes something away is red and never filled, even as the only action. */
function lookOf({ destructive }: ObjectActionDocument, isLikely: boolean): string {
  if (destructive) return "b ruin";
  return isLikely ? "b yes" : "b";
}

/** What can be done: governed calls. The last is the most likely one. */
function Actions({ detail }: { detail: ObjectDocument }) {
  const { api } = useServices();
  const target = useTarget();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");

  async function call(action: ObjectActionDocument) {
    setBusy(true);
    setError("");
    try {
      const { run, questions } = await callTool(api, action.tool, action.arguments, target);
      const [question] = questions;
      navigate(question ? pathTo("inbox", question) : pathTo("runs", run));
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be asked for.");
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className="acts-row">
      <Problem text={error} />
      {detail.actions.map((action, index) => (
        <button
          key={action.label}
          className={lookOf(action, index === detail.actions.length - 1 && !detail.blocked)}
          disabled={isBusy}
          onClick={() => void call(action)}
        >
          {action.label}
        </button>
      ))}
    </div>
  );
}
