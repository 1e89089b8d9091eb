import { useMemo, useState } from "react";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { ArgumentFields, type Values } from "../parts/form";
import { Json } from "../parts/json";
import { Note } from "../parts/notes";
import { fieldsOf } from "../parts/schema";
import { callTool } from "../api/calls";
import type { CallOutcome, ToolDocument } from "../wire";

/** Call a tool by hand. It takes the path of every call: the rules see it, and may ask. */
export function TryIt({ tool }: { tool: ToolDocument }) {
  const { api } = useServices();
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool]);
  const [values, setValues] = useState<Values>({});
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<CallOutcome | null>(null);
  const [error, setError] = useState("");
  const missing = fields.filter((each) => each.isRequired && (values[each.name] ?? "") === "" && each.kind !== "flag");

  async function call() {
    setBusy(true);
    setError("");
    setAnswer(null);
    try {
      const given = Object.fromEntries(
        Object.entries(values).filter(([, value]) => value !== undefined && value !== ""),
      );
      setAnswer(await callTool(api, tool.name, given));
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
        <ArgumentFields fields={fields} values={values} onChange={setValues} />
        {error && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {answer && <Answer answer={answer} />}
      </div>
      <div className="bar">
        <button className="b" disabled={isBusy || missing.length > 0}>
          {tool.risk === "high" ? "Call it…" : "Call it"}
        </button>
        <span className="grow" />
        <span className="meta wide">A call from here is asked about like any other.</span>
      </div>
    </form>
  );
}

function Answer({ answer }: { answer: CallOutcome }) {
  const isWaiting = answer.questions.length > 0;
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
        <b>{isWaiting ? "It waits for an answer." : "Called."}</b>{" "}
        {isWaiting ? <Link to={pathTo("inbox", answer.questions[0]!)}>The question</Link> : link}
      </Note>
      {!isWaiting && (
        <details>
          <summary className="exact">What came back</summary>
          <Json text={JSON.stringify(answer.result)} label="What came back" />
        </details>
      )}
    </>
  );
}
