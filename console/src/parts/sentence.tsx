import { Fragment } from "react";
import type { SentenceDocument } from "../wire";
import { capitalize, readable } from "./words";

/** A sentence with its names in bold. */
export function SentenceText({ sentence }: { sentence: SentenceDocument }) {
  if (sentence.parts.length === 0) return <>{sentence.text}</>;
  return sentence.parts.map(([text, isName], index) =>
    isName ? <b key={index}>{text}</b> : <Fragment key={index}>{text}</Fragment>,
  );
}

/** The sentence of a tool of which only the name is known. */
export function plainSentence(tool: string): SentenceDocument {
  const words = capitalize(readable(tool.replace(/^[a-z0-9]+_(?=[a-z]+[A-Z])/, "")));
  return { text: words, parts: [[words, false]] };
}
