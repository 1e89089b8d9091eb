import { useState } from "react";
import { callTool } from "../api/calls";
import { useServices } from "../app/context";
import { navigate, pathTo } from "../app/router";
import type { ChangedObject, Receipt, ReceiptRow } from "../wire";
import { Icon } from "./icon";
import { SentenceText } from "./sentence";
import { count, readable } from "./words";

const SHOWN = 6;

/** What a run changed according to its journal, whatever the model says. */
export function ReceiptCard({ receipt, target = "" }: { receipt: Receipt; target?: string }) {
  const [isWhole, setWhole] = useState(false);
  const objects = receipt.changed.flatMap((row) => rowsOf(row));
  const shown = isWhole ? objects : objects.slice(0, SHOWN);
  const rest = objects.length - shown.length;
  const isEmpty = objects.length + receipt.unknown.length + receipt.failed.length + receipt.notMade.length === 0;
  if (isEmpty && receipt.erased.length === 0) return null;
  return (
    <div className="card receipt" role="group" aria-label="What changed">
      <header>
        <b className="grow">{titleOf(receipt, objects.length)}</b>
      </header>
      <ul>
        {shown.map(({ row, object, isLast }, index) => (
          <li key={index}>
            <span className="grow">
              {object ? <ObjectWords object={object} /> : <SentenceText sentence={row.sentence} />}
            </span>
            {isLast && row.undo && <UndoButton undo={row.undo} target={target} />}
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

function titleOf(receipt: Receipt, changes: number): string {
  if (changes > 0) return count(changes, "change");
  if (receipt.unknown.length > 0) return "It is not known what changed";
  return receipt.erased.length > 0 ? "What changed was erased" : "Nothing changed";
}

function rowsOf(row: ReceiptRow): { row: ReceiptRow; object: ChangedObject | null; isLast: boolean }[] {
  if (row.objects.length === 0) return [{ row, object: null, isLast: true }];
  return row.objects.map((object, index) => ({ row, object, isLast: index === row.objects.length - 1 }));
}

function ObjectWords({ object }: { object: ChangedObject }) {
  const fields = object.fields.map(readable).join(", ");
  return (
    <>
      {object.name || `A ${readable(object.kind)}`}{" "}
      <span className="meta">
        · {readable(object.kind)}
        {fields && `, ${fields}`}
      </span>
    </>
  );
}

function Problems({
  rows,
  words,
  icon,
  tone,
}: {
  rows: ReceiptRow[];
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

/** The inverse of a call, as a governed call: rules see it and ask as they do about any other. */
function UndoButton({ undo, target }: { undo: NonNullable<ReceiptRow["undo"]>; target: string }) {
  const { api } = useServices();
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState("");
  async function take() {
    setSent(true);
    setError("");
    try {
      const { run, questions } = await callTool(api, undo.tool, undo.arguments, target);
      const [question] = questions;
      navigate(question ? pathTo("inbox", question) : pathTo("runs", run));
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be undone.");
      setSent(false);
    }
  }
  return (
    <>
      {error && (
        <span className="error" role="alert">
          {error}
        </span>
      )}
      <button type="button" className="b tiny bare" disabled={isSent} onClick={() => void take()}>
        <Icon name="undo" />
        Undo
      </button>
    </>
  );
}
