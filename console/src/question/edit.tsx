import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useResource } from "../api/resources";
import { ArgumentFields, isReference, isSame, type Values } from "../parts/form";
import { Problem } from "../parts/notes";
import { fieldsOf } from "../parts/schema";
import { capitalize, readable } from "../parts/words";
import type { QuestionDocument, ToolDocument } from "../wire";
import { Deadline, Head } from "./parts";
import type { Deciding } from "./use-decide";
import { asQuestion } from "./words";

/** Change the arguments and approve them. The agent is told, and the rules see the edited call again. */
export function EditCard({
  question,
  deciding,
  onBack,
}: {
  question: QuestionDocument;
  deciding: Deciding;
  onBack: () => void;
}) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.focus(), []);
  const original = useMemo(() => JSON.parse(question.arguments) as Values, [question.arguments]);
  const { data: tool } = useResource<ToolDocument>(`/api/tools/${encodeURIComponent(question.tool)}`);
  const [values, setValues] = useState<Values>(original);
  const fields = useMemo(() => {
    const known = fieldsOf(tool?.parameters).filter((field) => field.name in original || field.isRequired);
    const shown = known.length > 0 ? known : Object.keys(original).map(plainField(original));
    return shown.map((field) => (isReference(original[field.name]) ? { ...field, kind: "text" as const } : field));
  }, [tool, original]);
  const isEdited = fields.some((field) => !isSame(values[field.name], original[field.name]));

  function send() {
    const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ""));
    void deciding.decide({ approved: true, arguments: { ...original, ...kept } });
  }

  return (
    <form
      ref={form}
      tabIndex={-1}
      className="q approve"
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Head icon="shield" right={<Deadline question={question} />}>
        Approval, edited by you
      </Head>
      <div className="ask">
        <h2 id={id}>{asQuestion(question.sentence)}</h2>
        <ArgumentFields
          fields={fields}
          values={values}
          original={original}
          onChange={(next) => setValues(withReferences(next, original))}
        />
        <p className="meta">The agent is told that you edited it. The rules see the edited call again.</p>
        <Problem text={deciding.error} />
      </div>
      <footer>
        <button className="b yes" disabled={!isEdited || deciding.isBusy}>
          Approve as edited
        </button>
        <button type="button" className="b" onClick={onBack}>
          Back to the original
        </button>
      </footer>
    </form>
  );
}

/** An object whose name stands as it was is the same object. */
function withReferences(values: Values, original: Values): Values {
  const same = Object.entries(original).filter(([name, was]) => isReference(was) && values[name] === was.name);
  return { ...values, ...Object.fromEntries(same) };
}

function plainField(original: Values) {
  return (name: string) => ({
    name,
    label: capitalize(readable(name)),
    kind:
      typeof original[name] === "string"
        ? ("text" as const)
        : typeof original[name] === "boolean"
          ? ("flag" as const)
          : ("json" as const),
    choices: [],
    description: "",
    isRequired: true,
  });
}
