/** Reading JSON schemas of tools for people: the fields of a form, and what a value may be, in words. */
import { capitalize, readable } from "./words";

export interface FormField {
  name: string;
  label: string;
  kind: "text" | "long" | "number" | "flag" | "choice" | "json";
  choices: string[];
  description: string;
  isRequired: boolean;
}

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  default?: unknown;
  format?: string;
  maxLength?: number;
  maximum?: number;
  minimum?: number;
}

export function fieldsOf(schema: JsonSchema | undefined): FormField[] {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const resolved = resolve(property, schema!);
    return {
      name,
      label: capitalize(readable(name)),
      kind: kindOf(resolved),
      choices: (resolved.enum ?? []).map(String),
      description: property.description ?? resolved.description ?? "",
      isRequired: required.has(name),
    };
  });
}

/** A property without its reference and without the alternative null. */
export function resolve(property: JsonSchema, root: JsonSchema): JsonSchema {
  if (property.$ref) {
    const found = root.$defs?.[property.$ref.split("/").at(-1) ?? ""];
    return found ? resolve(found, root) : property;
  }
  const others = property.anyOf?.filter((each) => each.type !== "null") ?? [];
  return others.length === 1 ? resolve({ ...property, ...others[0]!, anyOf: [] }, root) : property;
}

function typeOf(schema: JsonSchema): string {
  return Array.isArray(schema.type) ? (schema.type.find((each) => each !== "null") ?? "") : (schema.type ?? "");
}

function kindOf(schema: JsonSchema): FormField["kind"] {
  if (schema.enum && schema.enum.length <= 20) return "choice";
  switch (typeOf(schema)) {
    case "string":
      return (schema.maxLength ?? 0) > 500 ? "long" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "flag";
    default:
      return "json";
  }
}

/** What a value may be: "text, up to 200 letters", "one of draft, live", "a list of texts". */
export function kindWords(property: JsonSchema, root: JsonSchema): string {
  const schema = resolve(property, root);
  if (schema.enum) return `one of ${schema.enum.map(String).join(", ")}`;
  switch (typeOf(schema)) {
    case "string":
      return [
        schema.format ?? "text",
        schema.maxLength ? `up to ${schema.maxLength.toLocaleString("en-GB")} letters` : "",
      ]
        .filter(Boolean)
        .join(", ");
    case "integer":
      return bounded("whole number", schema);
    case "number":
      return bounded("number", schema);
    case "boolean":
      return "yes or no";
    case "array":
      return `a list: ${schema.items ? kindWords(schema.items, root) : "anything"}`;
    case "object":
      return schema.properties
        ? `a group: ${Object.keys(schema.properties).map(readable).join(", ")}`
        : "names with values";
    default:
      return schema.anyOf && schema.anyOf.length > 0
        ? schema.anyOf.map((each) => kindWords(each, root)).join(", or ")
        : "anything";
  }
}

function bounded(word: string, { minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `${word}, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${word}, at least ${minimum}`;
  return maximum === undefined ? word : `${word}, at most ${maximum}`;
}
