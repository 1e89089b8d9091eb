import { useState } from "react";
import { callTool } from "../api/calls";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { useWorld } from "../live/world";
import type { CallOutcome, ReceiptDocument, ReceiptLine, RunDocument } from "../wire";
import { Icon } from "./icon";
import { SentenceText } from "./sentence";
import { useStored } from "./use-stored";
import { count, readable } from "./words";

const SHOWN = 6;

/** What a run changed according to its journal, whatever the model says. */
export function ReceiptCard({ run, receipt, target = "" }: { run: string; receipt: ReceiptDocument; target?: string }) {
  const [isWhole, setWhole] = useState(false);
  const acts = receipt.changed;
  const shown = isWhole ? acts : acts.slice(0, SHOWN);
  const rest = acts.length - shown.length;
  const isEmpty = acts.length + receipt.unknown.length + receipt.failed.length + receipt.notMade.length === 0;
  if (isEmpty && receipt.erased.length === 0) return null;
  return (
    <div className="card receipt" role="group" aria-label="What changed">
      <header>
        <b className="grow">{titleOf(receipt, acts.length)}</b>
      </header>
      <ul>
        {shown.map((row) => (
          <li key={row.call}>
            <span className="grow">
              <SentenceText sentence={row.sentence} /> <Objects row={row} />
            </span>
            {row.undo && <UndoButton name={`undo.${run}.${row.call}`} undo={row.undo} target={target} />}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <button type="button" className="b tiny bare" onClick={() => setWhole(true)}>
              {rest} more
            </button>
          </li>
        )}
        <Problems rows={receipt.unknown} words="not known whether it happened" icon="alert" tone="need" />
        <Problems rows={receipt.failed} words="failed" icon="x" tone="fail" />
        <Problems rows={receipt.notMade} words="not made" icon="policy" tone="" />
        <Problems rows={receipt.erased} words="erased from the journal" icon="policy" tone="" />
      </ul>
    </div>
  );
}

function titleOf(receipt: ReceiptDocument, changes: number): string {
  if (changes > 0) return count(changes, "change");
  if (receipt.unknown.length > 0) return "It is not known what changed";
  return receipt.erased.length > 0 ? "What changed was erased" : "Nothing changed";
}

/** What an act changed, beside its sentence: what that names already is left out. */
function Objects({ row }: { row: ReceiptLine }) {
  const words = row.objects.map((each) => {
    const name = each.name || readable(each.kind);
    const isNamed = row.sentence.parts.some(([part, isName]) => isName && part === name);
    return [...(isNamed ? [] : [name]), ...each.fields.map(readable)].join(", ");
  });
  const told = words.filter(Boolean).join("; ");
  return told ? <span className="meta">· {told}</span> : null;
}

function Problems({
  rows,
  words,
  icon,
  tone,
}: {
  rows: ReceiptLine[];
  words: string;
  icon: "alert" | "x" | "policy";
  tone: "" | "need" | "fail";
}) {
  return rows.map((row) => (
    <li key={row.call}>
      <Icon name={icon} tone={tone} />
      <span className="grow">
        <SentenceText sentence={row.sentence} /> <span className="meta">· {row.error || words}</span>
      </span>
    </li>
  ));
}

/**
 * The inverse of a call, as a governed call: rules see it and ask as they do about any other. What came of it stays in
 * the row, and it can be tried again only if it was not made.
 */
function UndoButton({ name, undo, target }: { name: string; undo: NonNullable<ReceiptLine["undo"]>; target: string }) {
  const { api } = useServices();
  const [made, setMade] = useStored<Pick<CallOutcome, "run" | "questions"> | null>(name, null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const row = useWorld((world) => (made ? world.runs[made.run] : undefined));
  const { data } = useResource<RunDocument>(made ? pathTo("api", "runs", made.run) : null);
  const status = row?.status ?? data?.status;
  const isOver = status === "failed" || status === "cancelled";
  async function take() {
    setBusy(true);
    setError("");
    try {
      const { run, questions, error: refused } = await callTool(api, undo.tool, undo.arguments, target);
      setMade(refused ? null : { run, questions });
      setError(refused);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be undone.");
    } finally {
      setBusy(false);
    }
  }
  if (made && !isOver) {
    const question = made.questions[0];
    if (status !== "done" && question) return <Link to={pathTo("inbox", question)}>Undo waits for an answer</Link>;
    return <Link to={pathTo("runs", made.run)}>{status === "done" ? "Undone" : "Undoing"}</Link>;
  }
  const why = error || (isOver ? data?.error || "It was not undone." : "");
  return (
    <>
      {why && (
        <span className="error" role="alert">
          {why}
        </span>
      )}
      <button type="button" className="b tiny bare" disabled={isBusy} onClick={() => void take()}>
        <Icon name="undo" />
        Undo
      </button>
    </>
  );
}
