import { Link, pathTo } from "../app/router";
import { Icon } from "../parts/icon";
import { Markdown } from "../parts/markdown";
import { Nothing } from "../parts/notes";
import { SentenceText } from "../parts/sentence";
import { duration, readable } from "../parts/words";
import { ChangeTable } from "../question/change-table";
import type { RunDocument } from "../wire";
import { changedUpTo, type Step } from "./steps";

/** A step, and what the run had changed and said when it was over. */
export function StepPanes({ document, steps, index }: { document: RunDocument; steps: Step[]; index: number }) {
  const step = steps[index]!;
  const changed = changedUpTo(steps, index);
  const said = steps.slice(0, index + 1).filter((each) => each.kind === "said" || (each.kind === "model" && each.text));
  return (
    <div className="split replay">
      <section className="pane pad" tabIndex={0} aria-label={`Step ${index + 1}`}>
        <h2>
          Step {index + 1}: <SentenceText sentence={step.sentence} />
        </h2>
        <StepBody step={step} />
        {step.call && (
          <div className="acts-row">
            <Link className="b" to={`${pathTo("runs", document.run)}#${encodeURIComponent(step.call.call)}`}>
              Open in the run
            </Link>
          </div>
        )}
      </section>
      <section className="pane pad" tabIndex={0} aria-label="Changed so far">
        <h2>Changed so far</h2>
        {changed.length === 0 && <Nothing title="Nothing yet." />}
        <ul className="mem">
          {changed.map((each) => (
            <li key={`${each.kind}/${each.id}`}>
              <Icon name="file" />
              <span className="grow">
                {each.name || each.id}{" "}
                <span className="meta">{[each.kind, ...each.fields].map(readable).join(", ")}</span>
              </span>
              {each.isNew && <ins>changed</ins>}
            </li>
          ))}
        </ul>
      </section>
      <section className="pane pad" tabIndex={0} aria-label="Said so far">
        <h2>Said so far</h2>
        {said.map((each) =>
          each.kind === "said" ? (
            <p key={each.id} className="said">
              {each.text}
            </p>
          ) : (
            <Markdown key={each.id} text={each.text} />
          ),
        )}
      </section>
    </div>
  );
}

function StepBody({ step }: { step: Step }) {
  if (step.question) {
    const { decision, rows, asked } = step.question;
    return (
      <>
        {rows.length > 0 && <ChangeTable rows={rows} heads={["Before", "After"]} />}
        <p>
          {decision
            ? `${decision.by} ${decision.approved ? "said yes" : "said no"} after ${duration(decision.at - asked)}.`
            : "Nobody has answered."}
        </p>
      </>
    );
  }
  const { call } = step;
  if (!call) return step.text ? <Markdown text={step.text} /> : null;
  return (
    <dl className="facts">
      <dt>Asked by</dt>
      <dd>{call.by ? readable(call.by) : "the run"}</dd>
      <dt>Rule</dt>
      <dd>{call.rules.length > 0 ? call.rules.join(", ") : "none asked"}</dd>
      {call.startedAt > 0 && (
        <>
          <dt>Took</dt>
          <dd className="num">{duration(call.endedAt - call.startedAt)} then, from the journal now</dd>
        </>
      )}
      {call.error && (
        <>
          <dt>Failed</dt>
          <dd>{call.error}</dd>
        </>
      )}
    </dl>
  );
}
