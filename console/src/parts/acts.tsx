import type { CallView, RunState } from "../live/run-state";
import type { ToolDocument } from "../wire";
import { Act } from "./act";
import { Icon } from "./icon";
import { plainSentence } from "./sentence";
import { duration } from "./words";

type Facts = Record<string, ToolDocument>;
type Part = { kind: "one"; call: CallView } | { kind: "reads"; calls: CallView[] };

/** Consecutive calls. Two or more reads in a row fold to one line. */
export function Acts({ calls, state, facts, by }: { calls: CallView[]; state: RunState; facts: Facts; by: string }) {
  return (
    <div className="acts" role="list" aria-label={`What ${by} did`}>
      {foldReads(calls, facts).map((part) =>
        part.kind === "one" ? (
          <div role="listitem" key={part.call.key}>
            <Act call={part.call} state={state} facts={facts} />
          </div>
        ) : (
          <div role="listitem" key={part.calls[0]!.key}>
            <Reads calls={part.calls} state={state} facts={facts} />
          </div>
        ),
      )}
    </div>
  );
}

function Reads({ calls, state, facts }: { calls: CallView[]; state: RunState; facts: Facts }) {
  const seconds = calls.reduce((sum, each) => sum + Math.max(0, each.endedAt - each.startedAt), 0);
  return (
    <details>
      <summary className="act">
        <Icon name="right" turns />
        <span className="grow">
          Read {calls.length} things <span className="meta">· {namesOf(calls)}</span>
        </span>
        {seconds > 0 && <span className="meta num">{duration(seconds)}</span>}
      </summary>
      <div className="inner">
        {calls.map((each) => (
          <Act key={each.key} call={each} state={state} facts={facts} />
        ))}
      </div>
    </details>
  );
}

/** The names in the sentences of calls, each once. */
function namesOf(calls: CallView[]): string {
  const names = calls.flatMap((each) => {
    const sentence = each.sentence ?? plainSentence(each.tool);
    const bold = sentence.parts.filter(([, isName]) => isName).map(([text]) => text);
    return bold.length > 0 ? bold : [sentence.text];
  });
  return [...new Set(names)].join(", ");
}

export function foldReads(calls: CallView[], facts: Facts): Part[] {
  const parts: Part[] = [];
  for (const call of calls) {
    const isRead = facts[call.tool]?.effect === "pure" && call.state === "done";
    const last = parts.at(-1);
    if (!isRead) parts.push({ kind: "one", call });
    else if (last?.kind === "reads") last.calls.push(call);
    else parts.push({ kind: "reads", calls: [call] });
  }
  return parts.map((part) =>
    part.kind === "reads" && part.calls.length === 1 ? { kind: "one", call: part.calls[0]! } : part,
  );
}
