import { useMemo, useState } from "react";
import { callTool } from "../api/calls";
import { useRequestKey } from "../api/use-request-key";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { useTarget } from "../app/target";
import { useWorld } from "../live/world";
import { ArgumentFields, type Values } from "../parts/form";
import { Json } from "../parts/json";
import { Note, Problem } from "../parts/notes";
import { fieldsOf } from "../parts/schema";
import type { CallOutcome, ToolDocument } from "../wire";

/**
 * Call a tool by hand. It takes the path of every call: the rules see it, and may ask. A filled form is one call until
 * it is answered, however often it is sent.
 */
export function TryIt({ tool }: { tool: ToolDocument }) {
  const { api } = useServices();
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool]);
  const [values, setValues] = useState<Values>({});
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<CallOutcome | null>(null);
  const [error, setError] = useState("");
  const target = useTarget();
  const { keyOf, forget } = useRequestKey();
  const asked = useWorld((world) => world.questions[answer?.questions[0] ?? ""]);
  const isAnswered = asked !== undefined && asked.status !== "open";
  const isWaiting = (answer?.questions.length ?? 0) > 0 && !isAnswered;
  const missing = fields.filter((each) => each.isRequired && (values[each.name] ?? "") === "" && each.kind !== "flag");

  function change(next: Values) {
    setValues(next);
    setAnswer(null);
  }

  async function call() {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ""));
    if (isAnswered) forget();
    setBusy(true);
    setError("");
    setAnswer(null);
    try {
      const outcome = await callTool(api, tool.name, given, target, keyOf(given));
      if (outcome.questions.length === 0) forget();
      setAnswer(outcome);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be called.");
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className="card"
      aria-label="Try it"
      onSubmit={(event) => {
        event.preventDefault();
        void call();
      }}
    >
      <div className="form">
        <h2>Try it</h2>
        <ArgumentFields fields={fields} values={values} onChange={change} />
        <Problem text={error} />
        {answer && <Answer answer={answer} isWaiting={isWaiting} />}
      </div>
      <div className="bar">
        <button className="b" disabled={isBusy || isWaiting || missing.length > 0}>
          {tool.risk === "high" ? "Call it…" : "Call it"}
        </button>
        <span className="grow" />
        <span className="meta wide">A call from here is asked about like any other.</span>
      </div>
    </form>
  );
}

function Answer({ answer, isWaiting }: { answer: CallOutcome; isWaiting: boolean }) {
  const wasAsked = answer.questions.length > 0;
  const link = <Link to={pathTo("runs", answer.run)}>Open its run</Link>;
  if (answer.error) {
    return (
      <Note tone="fail" icon="x">
        <b>It failed.</b> {answer.error} {link}
      </Note>
    );
  }
  return (
    <>
      <Note tone={isWaiting ? "need" : ""} icon={isWaiting ? "clock" : "check"}>
        <b>{isWaiting ? "It waits for an answer." : wasAsked ? "It was answered." : "Called."}</b>{" "}
        {isWaiting ? <Link to={pathTo("inbox", answer.questions[0]!)}>The question</Link> : link}
      </Note>
      {!wasAsked && (
        <details>
          <summary className="exact">What came back</summary>
          <Json text={JSON.stringify(answer.result)} label="What came back" />
        </details>
      )}
    </>
  );
}
