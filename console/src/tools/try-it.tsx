import { useMemo, useState } from "react";
import { RefusedError } from "../api/api";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { ArgumentFields, type Values } from "../parts/form";
import { Json } from "../parts/json";
import { Note } from "../parts/notes";
import { fieldsOf } from "../parts/schema";
import type { ToolDocument } from "../wire";

interface Called {
  run?: string;
  [other: string]: unknown;
}

/** Call a tool by hand. It takes the path of every call: the rules see it, and may ask. */
export function TryIt({ tool }: { tool: ToolDocument }) {
  const { api } = useServices();
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool]);
  const [values, setValues] = useState<Values>({});
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Called | null>(null);
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
      setAnswer(
        await api.send<Called>("POST", `/api/tools/${encodeURIComponent(tool.name)}`, given, crypto.randomUUID()),
      );
    } catch (problem) {
      setError(
        problem instanceof RefusedError || problem instanceof Error ? problem.message : "It could not be called.",
      );
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
          {tool.facts.risk === "high" ? "Call it…" : "Call it"}
        </button>
        <span className="grow" />
        <span className="meta wide">A call from here is asked about like any other.</span>
      </div>
    </form>
  );
}

function Answer({ answer }: { answer: Called }) {
  return (
    <>
      <Note icon="check">
        <b>Called.</b> {answer.run && <Link to={pathTo("runs", answer.run)}>Open its run</Link>}
      </Note>
      <details>
        <summary className="exact">What came back</summary>
        <Json text={JSON.stringify(answer)} label="What came back" />
      </details>
    </>
  );
}
