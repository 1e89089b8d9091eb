import { useId } from "react";
import type { FormField } from "./schema";

export type Values = Record<string, unknown>;

/** The fields of a tool's arguments. A value that a field cannot hold is edited as JSON. */
export function ArgumentFields({
  fields,
  values,
  original,
  onChange,
}: {
  fields: FormField[];
  values: Values;
  original?: Values;
  onChange: (values: Values) => void;
}) {
  return fields.map((field) => (
    <ArgumentField
      key={field.name}
      field={field}
      value={values[field.name]}
      isEdited={original !== undefined && !isSame(values[field.name], original[field.name])}
      was={original?.[field.name]}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function ArgumentField({
  field,
  value,
  isEdited,
  was,
  onChange,
}: {
  field: FormField;
  value: unknown;
  isEdited: boolean;
  was: unknown;
  onChange: (value: unknown) => void;
}) {
  const id = useId();
  const hint = `${id}-hint`;
  return (
    <div className="edit">
      <label htmlFor={id}>
        {field.label} {!field.isRequired && <span className="meta">optional</span>} {isEdited && <ins>edited</ins>}
      </label>
      <Control id={id} hint={hint} field={field} value={value} onChange={onChange} />
      <span className="meta" id={hint}>
        {isEdited && was !== undefined ? `Was: ${textOf(was)}` : field.description}
      </span>
    </div>
  );
}

function Control({
  id,
  hint,
  field,
  value,
  onChange,
}: {
  id: string;
  hint: string;
  field: FormField;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  if (field.kind === "flag") {
    return (
      <input
        id={id}
        type="checkbox"
        className="check"
        aria-describedby={hint}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  if (field.kind === "choice") {
    return (
      <select
        id={id}
        className="field"
        aria-describedby={hint}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value)}
      >
        {!field.isRequired && <option value="">left out</option>}
        {field.choices.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  }
  if (field.kind === "long" || field.kind === "json" || textOf(value).length > 90) {
    return (
      <span className="field tall">
        <textarea
          id={id}
          rows={4}
          aria-describedby={hint}
          defaultValue={textOf(value)}
          onChange={(event) => onChange(parsed(field, event.target.value))}
        />
      </span>
    );
  }
  return (
    <span className="field">
      <input
        id={id}
        aria-describedby={hint}
        inputMode={field.kind === "number" ? "decimal" : "text"}
        value={textOf(value)}
        onChange={(event) => onChange(parsed(field, event.target.value))}
      />
    </span>
  );
}

/** Whether a value is an object of the application that was looked up: its id, with the name that people know. */
export function isReference(value: unknown): value is { name: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { id, name, ...rest } = value as Values;
  const isNamed = id !== undefined && typeof name === "string" && name !== "";
  return isNamed && Object.keys(rest).every((each) => each === "revision" || each === "kind");
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (isReference(value)) return value.name;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value of what was typed; text that is no number or no JSON stays text, and the rules refuse it. */
function parsed(field: FormField, text: string): unknown {
  if (field.kind === "text" || field.kind === "long") return text;
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
