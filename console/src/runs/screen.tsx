/** Runs: what was asked, by whom, and what came of it. */
import { useEffect, useMemo, useRef, useState } from "react";
import { withQuery } from "../api/api";
import { type Pages, usePages } from "../api/pages";
import { Link, pathTo, usePlace } from "../app/router";
import { useFacts } from "../live/tools";
import { Icon } from "../parts/icon";
import { More } from "../parts/more";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Segments } from "../parts/seg";
import { useNow } from "../parts/time";
import { useVisible } from "../parts/use-visible";
import { useTitle } from "../parts/use-title";
import { capitalize, clock, duration, exactTime, money, readable, tokens } from "../parts/words";
import type { RunSummary, ToolDocument } from "../wire";
import { type ListRow, matches, noteOf, rowsOf } from "./rows";
import { StateMark } from "./state-mark";

const HEIGHTS = { day: 38, run: 51 };
const keyOf = (run: RunSummary) => run.run;

export function RunsScreen() {
  const { query } = usePlace();
  const status = query.get("status") ?? "";
  const compared = query.get("compare");
  const [search, setSearch] = useState("");
  const path = withQuery("/api/runs", { limit: 50, status: status === "open" ? "" : status });
  const pages = usePages<RunSummary>(path, keyOf);
  const { items, error, reload } = pages;
  const now = useNow(60);
  const rows = useMemo(() => {
    const shown = (items ?? []).filter(
      (run) => run.run !== compared && (status !== "open" || run.ended === 0) && (!search || matches(run, search)),
    );
    return rowsOf(shown, now);
  }, [items, status, search, compared, now]);
  useTitle("Runs");
  const to = (value: string) => withQuery("/runs", { status: value, compare: compared ?? "" });
  return (
    <>
      <header className="top">
        <h1>Runs</h1>
        <label className="field find">
          <span className="hide">Search runs</span>
          <Icon name="search" />
          <input
            data-key="/"
            value={search}
            placeholder="What was asked or went wrong"
            onChange={(event) => setSearch(event.target.value)}
          />
          <kbd>/</kbd>
        </label>
        <span className="grow wide" />
        <Segments
          className="wide"
          label="State"
          choices={[
            { to: to(""), label: "All", isCurrent: status === "" },
            { to: to("open"), label: "Open", isCurrent: status === "open" },
            { to: to("failed"), label: "Failed", isCurrent: status === "failed" },
          ]}
        />
      </header>
      {compared && (
        <div className="banner" role="status">
          <span className="grow">
            <b>Pick the run to compare with.</b> The two are shown side by side, to the first difference.
          </span>
          <Link className="b tiny" to={pathTo("runs", compared)}>
            Back
          </Link>
        </div>
      )}
      {items ? (
        <RunTable rows={rows} compared={compared} pages={pages} isFiltered={search !== "" || status !== ""} />
      ) : (
        <div className="body">{error ? <Failed error={error} retry={reload} /> : <Loading rows={6} />}</div>
      )}
    </>
  );
}

interface TableProps {
  rows: ListRow[];
  compared: string | null;
  pages: Pages<RunSummary>;
  isFiltered: boolean;
}

function RunTable({ rows, compared, pages, isFiltered }: TableProps) {
  const { hasMore, readMore, moreError } = pages;
  const box = useRef<HTMLDivElement>(null);
  const facts = useFacts();
  const heights = useMemo(() => rows.map((row) => HEIGHTS[row.kind]), [rows]);
  const { first, end, above, below } = useVisible(box, heights);
  useEffect(() => {
    if (hasMore && !moreError && end >= rows.length - 10) readMore();
  }, [hasMore, moreError, end, rows.length, readMore]);
  return (
    <div className="body flush" ref={box} tabIndex={0} role="region" aria-label="Runs">
      <table className="rows runs" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">
              <span className="hide">State</span>
            </th>
            <th scope="col">Asked</th>
            <th scope="col">By</th>
            <th scope="col" className="r">
              Calls
            </th>
            <th scope="col" className="r">
              Worked
            </th>
            <th scope="col" className="r">
              Waited
            </th>
            <th scope="col" className="r">
              Cost
            </th>
            <th scope="col" className="r">
              Began
            </th>
          </tr>
        </thead>
        <tbody data-list>
          <Spacer height={above} />
          {rows.slice(first, end).map((row, offset) => {
            const index = first + offset;
            return row.kind === "day" ? (
              <tr className="day" key={`day ${row.title}`} aria-rowindex={index + 2}>
                <th colSpan={8} scope="rowgroup">
                  {row.title}
                </th>
              </tr>
            ) : (
              <RunRow key={row.run.run} run={row.run} tool={facts[row.run.agent]} index={index} compared={compared} />
            );
          })}
          <Spacer height={below} />
        </tbody>
      </table>
      {moreError && <More {...pages} />}
      {rows.length === 0 && !hasMore && (
        <Nothing title={isFiltered ? "No runs match." : "No runs yet."}>
          {isFiltered ? <Link to="/runs">Show all</Link> : "What your agents are asked appears here."}
        </Nothing>
      )}
    </div>
  );
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" className="spacer">
      <td colSpan={8} style={{ height }} />
    </tr>
  );
}

interface RowProps {
  run: RunSummary;
  /** The tool, if the run is a call of one. */
  tool: ToolDocument | undefined;
  index: number;
  compared: string | null;
}

function RunRow({ run, tool, index, compared }: RowProps) {
  const now = useNow(60);
  const to = compared ? pathTo("compare", compared, run.run) : pathTo("runs", run.run);
  const note = [noteOf(run, now), tool ? run.title : ""].filter(Boolean).join(" · ");
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <StateMark status={run.status} />
      </td>
      <td>
        <Link to={to} data-item>
          <b className="one-line">{tool?.sentence.text || run.title || "Untitled"}</b>
        </Link>
        <span className="meta one-line">{note || " "}</span>
      </td>
      <td>
        {run.principal} <span className="meta">{tool ? "by hand" : capitalize(readable(run.agent))}</span>
      </td>
      <td className="r">{run.calls}</td>
      <td className="r">{run.worked >= 0.05 ? duration(run.worked) : ""}</td>
      <td className="r">{run.waited >= 1 ? duration(run.waited) : ""}</td>
      <td className="r">{run.usage.requests > 0 && tokens(run.usage) > 0 && money(run.usage.cost)}</td>
      <td className="r meta">
        <time title={exactTime(run.opened)}>{clock(run.opened)}</time>
      </td>
    </tr>
  );
}
