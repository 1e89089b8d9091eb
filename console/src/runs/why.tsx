import type { ReactNode } from "react";
import { Link, pathTo } from "../app/router";
import { Icon, type IconName } from "../parts/icon";
import { SentenceText } from "../parts/sentence";
import { capitalize, clock, duration, readable } from "../parts/words";
import { becauseOf } from "../question/words";
import type { CallDocument, QuestionDocument, RunDocument } from "../wire";

/** The path of a call: who asked for it, which rules met it, who answered, and how often it ran. */
export function Why({ call, document }: { call: CallDocument; document: RunDocument }) {
  const questions = document.questions.filter((each) => each.call === call.call);
  return (
    <>
      <h2>
        <SentenceText sentence={call.sentence} />
      </h2>
      <ol className="path">
        <Step
          icon="check"
          tone="done"
          small
          title={call.by ? `${capitalize(readable(call.by))} asked for it` : "The run began with it"}
        >
          {call.askedAt > 0 && clock(call.askedAt, true)}, for {document.principal}
          {document.target && ` on ${document.target}`}
        </Step>
        {call.rules.map((rule) => (
          <Step key={rule} icon="policy" title={`Rule “${rule}” met it`}>
            {questions.length > 0 ? "A person was asked." : "It was allowed in advance."}
          </Step>
        ))}
        {call.rules.length === 0 && questions.length === 0 && call.state !== "denied" && (
          <Step icon="check" tone="done" small title="No rule asked" />
        )}
        {questions.map((each) => (
          <Asked key={each.id} question={each} />
        ))}
        <Ending call={call} />
      </ol>
    </>
  );
}

function Step({
  icon,
  tone = "",
  small = false,
  title,
  children,
}: {
  icon: IconName;
  tone?: "" | "done" | "need" | "fail";
  small?: boolean;
  title: string;
  children?: ReactNode;
}) {
  return (
    <li>
      <Icon name={icon} tone={tone} small={small} />
      <div>
        <b>{title}</b>
        {children && <p>{children}</p>}
      </div>
    </li>
  );
}

function Asked({ question }: { question: QuestionDocument }) {
  const { decision } = question;
  return (
    <>
      <Step icon="shield" tone="need" title="A person was asked">
        {becauseOf(question)} <Link to={pathTo("inbox", question.id)}>The question</Link>
      </Step>
      {decision && (
        <Step
          icon="person"
          title={`${decision.by} ${decision.approved ? (decision.kind === "confirm" ? "confirmed" : "approved") : "denied"}, ${clock(decision.at)}`}
        >
          After {duration(decision.at - question.asked)}
          {question.rows.length > 0 && `, seeing ${question.rows.length} rows`}
          {decision.arguments && ", with edited arguments"}.{decision.reason && ` “${decision.reason}”`}
        </Step>
      )}
      {question.status === "expired" && (
        <Step icon="clock" title="Nobody answered in time">
          Until {clock(question.expires)}.
        </Step>
      )}
    </>
  );
}

function Ending({ call }: { call: CallDocument }) {
  switch (call.state) {
    case "done":
      return (
        <Step icon="check" tone="done" small title={call.attempt > 1 ? `Ran, at attempt ${call.attempt}` : "Ran once"}>
          {call.startedAt > 0 && call.endedAt > 0 && duration(call.endedAt - call.startedAt)}
        </Step>
      );
    case "failed":
      return (
        <Step icon="x" tone="fail" small title="Failed">
          {call.error}
        </Step>
      );
    case "denied":
      return (
        <Step icon="x" tone="fail" small title="Did not run">
          {call.error}
        </Step>
      );
    case "unknown":
      return (
        <Step icon="alert" tone="need" title="It is not known whether it happened">
          The process ended while it ran.
        </Step>
      );
    case "running":
      return <Step icon="play" title="Runs now" />;
    default:
      return <Step icon="clock" title="Has not run" />;
  }
}
