import { Link, pathTo } from "../app/router";
import { callsOf, type CallView, openQuestions, type RunState } from "../live/run-state";
import type { ToolDocument } from "../wire";
import { iconOf } from "./call-icon";
import { Icon, type IconName } from "./icon";
import { Json } from "./json";
import { LogLines } from "./logs";
import { plainSentence, SentenceText } from "./sentence";
import { clock, duration } from "./words";

type Facts = Record<string, ToolDocument>;

/** One line of a run: what is touched, the sentence, the time. It opens to facts, result and the exact call. */
export function Act({ call, state, facts }: { call: CallView; state: RunState; facts: Facts }) {
  const below = callsOf(state, call);
  const waits = openQuestions(state).find((each) => each.call === call.call);
  return (
    <details className="opened" name="act">
      <summary className="act">
        <ActIcon call={call} facts={facts} waits={waits !== undefined} />
        <span className="grow">
          <ActWords call={call} />
          {waits && (call.state === "done" ? ", not answered yet" : " waits for an answer")}
        </span>
        {waits ? <span className="meta num">since {clock(waits.asked)}</span> : <ActTime call={call} />}
      </summary>
      <dl className="facts">
        {below.length > 0 && (
          <>
            <dt>Inside</dt>
            <dd>
              {below.map((each) => (
                <div className="act" key={each.key}>
                  <ActIcon call={each} facts={facts} />
                  <span className="grow">
                    <ActWords call={each} />
                  </span>
                  <ActTime call={each} />
                </div>
              ))}
            </dd>
          </>
        )}
        {call.error && (
          <>
            <dt>{call.state === "denied" ? "Refused" : "Failed"}</dt>
            <dd>{call.error}</dd>
          </>
        )}
        {call.changed.length > 0 && (
          <>
            <dt>Changed</dt>
            <dd>{call.changed.map((each) => [each.name || each.kind, ...each.fields].join(", ")).join("; ")}</dd>
          </>
        )}
        <dt>Rule</dt>
        <dd>{call.rules.length > 0 ? call.rules.join(", ") : "None asked"}</dd>
        <dt />
        <dd>
          <Link to={`${pathTo("runs", state.run)}#${encodeURIComponent(call.call || call.key)}`}>Open in the run</Link>
        </dd>
        <dt />
        <dd>
          <ExactCall call={call} />
        </dd>
      </dl>
      {call.logs.length > 0 && <LogLines lines={call.logs} />}
    </details>
  );
}

/** The arguments and the result of a call as they are on record, one fold away. */
export function ExactCall({ call }: { call: CallView }) {
  return (
    <details>
      <summary className="exact">
        <Icon name="right" turns />
        Exact call
      </summary>
      <p className="meta mono">{call.tool}</p>
      <Json text={call.args} label="Arguments" />
      {call.result && <Json text={call.result} label="Result" />}
    </details>
  );
}

export function ActIcon({ call, facts, waits = false }: { call: CallView; facts: Facts; waits?: boolean }) {
  if (waits) return <Icon name="clock" tone="need" />;
  if (call.state === "running") return <span className="spin" />;
  const [name, tone] = markOf(call, facts);
  return <Icon name={name} tone={tone} />;
}

function markOf(call: CallView, facts: Facts): [IconName, "" | "need" | "fail"] {
  switch (call.state) {
    case "failed":
      return ["x", "fail"];
    case "denied":
      return ["policy", ""];
    case "unknown":
      return ["alert", "need"];
    default:
      return [iconOf(call.tool, facts[call.tool]), ""];
  }
}

export function ActWords({ call }: { call: CallView }) {
  const sentence = call.sentence ?? plainSentence(call.tool);
  return (
    <>
      <span className="hide">{STATES[call.state]}: </span>
      <SentenceText sentence={sentence} />
      {call.state === "failed" && call.error && <>: {call.error}</>}
      {call.state === "unknown" && <>: it is not known whether it happened</>}
    </>
  );
}

const STATES = {
  asked: "asked",
  running: "running",
  done: "done",
  failed: "failed",
  denied: "refused",
  unknown: "unknown",
} as const;

export function ActTime({ call }: { call: CallView }) {
  if (call.startedAt === 0 || call.endedAt === 0) return null;
  return <span className="meta num">{duration(call.endedAt - call.startedAt)}</span>;
}
