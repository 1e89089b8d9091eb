import { useRef, useState } from "react";
import { Fold } from "../parts/fold";
import type { ChangeDocument, QuestionDocument } from "../wire";
import { Diff } from "./diff";

const MANY = 12;

/** What changes, as rows of before and after. More than a dozen open in a view that marks how far one has read. */
export function Rows({ question, isOpen }: { question: QuestionDocument; isOpen: boolean }) {
  const { rows, news } = question;
  const fresh = new Set(news.map((each) => each.where));
  const count = rows.filter((row) => fresh.has(row.where)).length;
  const [isWhole, setWhole] = useState(false);
  const [seen, setSeen] = useState(MANY);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole ? rows : rows.slice(0, MANY);

  function look() {
    const element = box.current;
    if (!element || !isWhole) return;
    const bottom = element.getBoundingClientRect().bottom;
    const read = [...element.querySelectorAll("tbody tr")].filter(
      (row) => row.getBoundingClientRect().bottom <= bottom + 2,
    );
    setSeen((before) => Math.max(before, read.length));
  }

  return (
    <Fold
      isOpen={isOpen}
      title={<span className="nowrap">What changes ({rows.length})</span>}
      meta={
        <>
          {isOpen && count > 0 && <span className="chip need">{count} new since your last yes</span>}
          {isWhole && (
            <span className="meta grow-end">
              read {Math.min(seen, rows.length)} of {rows.length}
            </span>
          )}
        </>
      }
    >
      <div
        ref={box}
        className={isWhole ? "all-rows" : ""}
        tabIndex={0}
        role="region"
        aria-label="What changes"
        onScroll={look}
      >
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">Now</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <Row key={index} row={row} isNew={fresh.has(row.where)} />
            ))}
          </tbody>
        </table>
        {rows.length > shown.length && (
          <button type="button" className="b tiny" onClick={() => setWhole(true)}>
            All {rows.length} rows
          </button>
        )}
      </div>
    </Fold>
  );
}

function Row({ row, isNew }: { row: ChangeDocument; isNew: boolean }) {
  return (
    <tr>
      <td>
        {row.where} {isNew && <span className="chip need">new</span>}
      </td>
      {row.before ? (
        <td>
          <Diff before={row.before} after={row.after} side="before" />
        </td>
      ) : (
        <td className="meta">nothing</td>
      )}
      {row.after ? (
        <td>
          <Diff before={row.before} after={row.after} side="after" />
        </td>
      ) : (
        <td className="meta">nothing</td>
      )}
    </tr>
  );
}
