import { useMemo, useState } from "react";
import { useServices } from "../app/context";
import { useKeys } from "../app/keys";
import { Link } from "../app/router";
import { Icon } from "../parts/icon";
import { SentenceText } from "../parts/sentence";
import { moment } from "../parts/words";
import { useNow } from "../parts/time";
import { againOf, becauseOf, verbOf, whoMayAnswer } from "../question/words";
import type { QuestionDocument } from "../wire";
import { useBatch } from "./use-batch";

/**
 * Questions alike, one row each, in the order in which they were asked. Each is decided by itself. Confirmations start
 * unticked.
 */
export function Batch({ questions }: { questions: QuestionDocument[] }) {
  const { me } = useServices();
  const now = useNow(60);
  const [all] = useState(() => questions.toSorted((a, b) => a.asked - b.asked));
  const isConfirm = all[0]!.may.kind === "confirm";
  const [ticked, setTicked] = useState(() => new Set(isConfirm ? [] : all.map((each) => each.id)));
  const { decide, progress, errors } = useBatch();
  const first = all[0]!;
  const columns = useMemo(() => columnsOf(all), [all]);
  const yes = all.filter((each) => ticked.has(each.id));
  const no = all.filter((each) => !ticked.has(each.id));
  const isBusy = progress !== null;

  function toggle(id: string) {
    const next = new Set(ticked);
    if (!next.delete(id)) next.add(id);
    setTicked(next);
  }

  useKeys({
    x: () => {
      const row = document.activeElement?.closest<HTMLElement>("tr[data-id]");
      if (row?.dataset["id"]) toggle(row.dataset["id"]);
    },
  });

  return (
    <section className="pane" aria-labelledby="batch-h">
      <p className={isConfirm ? "band own" : "band"}>
        <Link className="b bare tiny slim" to="/inbox" aria-label="Back to the inbox">
          <Icon name="left" />
        </Link>
        <Icon name={isConfirm ? "person" : "shield"} />
        {isConfirm ? `Your own steps, ${me.name}: ${all.length} alike` : `Approval, ${all.length} alike`}
        {first.expires > 0 && (
          <span className="left">
            <Icon name="clock" />
            until {moment(first.expires, now)}
          </span>
        )}
      </p>
      <div className="head">
        <h2 id="batch-h">
          {verbOf(first.sentence)}, {all.length} times?
        </h2>
        <p>
          {isConfirm ? "Tick what you want done." : first.consequence} {becauseOf(first)} {whoMayAnswer(first, me)} No
          answer means that it is not done.
        </p>
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Questions">
        <table className="rows batch">
          <thead>
            <tr>
              <th scope="col">
                <input
                  className="check"
                  type="checkbox"
                  aria-label="All"
                  checked={no.length === 0}
                  onChange={() => setTicked(new Set(no.length === 0 ? [] : all.map((each) => each.id)))}
                />
              </th>
              <th scope="col">What</th>
              {columns.map((each) => (
                <th scope="col" key={each}>
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody data-list>
            {all.map((each) => (
              <tr key={each.id} data-id={each.id} className={ticked.has(each.id) || isConfirm ? "" : "off"}>
                <td>
                  <input
                    className="check"
                    type="checkbox"
                    data-item
                    aria-label={each.sentence.text}
                    checked={ticked.has(each.id)}
                    onChange={() => toggle(each.id)}
                  />
                </td>
                <td>
                  <Link to={`/inbox/${encodeURIComponent(each.id)}`}>
                    <SentenceText sentence={each.sentence} />
                  </Link>
                  <RowWords question={each} withConsequence={isConfirm} />
                  {errors[each.id] && <p className="error">{errors[each.id]}</p>}
                </td>
                {columns.map((where) => {
                  const row = each.rows.find((one) => one.where === where);
                  return (
                    <td key={where} className="meta">
                      {row ? [row.before, row.after].filter(Boolean).join(" → ") : ""}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="bar">
        <button className="b yes" disabled={isBusy || yes.length === 0} onClick={() => void decide(all, ticked)}>
          {buttonWords(isConfirm ? "Confirm" : "Approve", isConfirm ? "leave" : "deny", yes.length, no.length)}
        </button>
        <button className="b" disabled={isBusy} onClick={() => void decide(all, new Set())}>
          {isConfirm ? "Leave all as they are" : `Deny all ${all.length}`}
        </button>
        <span className="grow" />
        <span className="meta wide" role="status">
          {progress === null
            ? "Each is decided by itself, in this order, and recorded under your name."
            : `${progress} of ${all.length} decided`}
        </span>
      </div>
    </section>
  );
}

/** The places that most rows show, without those that are empty everywhere. */
function columnsOf(questions: QuestionDocument[]): string[] {
  const filled = questions.flatMap((each) => each.rows.filter((row) => row.where && (row.before || row.after)));
  return [...new Set(filled.map((row) => row.where))].slice(0, 2);
}

function buttonWords(yes: string, no: string, taken: number, left: number): string {
  return left === 0 ? `${yes} ${taken}` : `${yes} ${taken}, ${no} ${left}`;
}

/** What the card of a single question says beyond its sentence: why it is asked again, what follows, what it meets. */
function RowWords({ question, withConsequence }: { question: QuestionDocument; withConsequence: boolean }) {
  const words = [
    againOf(question),
    withConsequence && question.consequence,
    question.summary !== question.sentence.text && question.summary,
  ].filter(Boolean);
  return words.length > 0 ? <p className="meta">{words.join(" ")}</p> : null;
}
