/** The rows of the list of runs: those that have not ended first, then by day. */
import { count, dayName, moment } from "../parts/words";
import type { RunSummary } from "../wire";

export type ListRow = { kind: "day"; title: string } | { kind: "run"; run: RunSummary };

export function rowsOf(runs: RunSummary[], now: number): ListRow[] {
  const open = runs.filter((each) => each.ended === 0);
  const ended = runs.filter((each) => each.ended > 0);
  const rows: ListRow[] = open.length > 0 ? [{ kind: "day", title: "Open" }] : [];
  rows.push(...open.map((run): ListRow => ({ kind: "run", run })));
  let day = "";
  for (const run of ended) {
    const title = dayName(run.opened, now);
    if (title !== day) rows.push({ kind: "day", title });
    day = title;
    rows.push({ kind: "run", run });
  }
  return rows;
}

/** What there is to know about a run, in one line. */
export function noteOf(run: RunSummary, now: number): string {
  switch (run.status) {
    case "running":
      return "Works";
    case "queued":
      return "Waits for its turn";
    case "waiting":
      return run.openQuestions > 0 ? `${count(run.openQuestions, "question")} open` : "Waits for an answer";
    case "stalled":
      return `Rests${run.due ? ` until ${moment(run.due, now)}` : ""}${run.failure ? `: ${run.failure.message}` : ""}`;
    case "scheduled":
      return `Begins ${moment(run.due, now)}`;
    case "failed":
      return run.failure?.message ?? "Failed";
    case "cancelled":
      return `Stopped after ${count(run.calls, "call")}`;
    case "open":
      return "Calls come from outside";
    default:
      return run.failure ? `Done, after a failure: ${run.failure.message}` : "";
  }
}

/** Whether a run has all words of a search in what was asked, by whom, or what went wrong. */
export function matches(run: RunSummary, search: string): boolean {
  const text = [run.title, run.principal, run.agent, run.failure?.message ?? ""].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
