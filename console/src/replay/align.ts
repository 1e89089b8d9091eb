/** Two runs side by side: their steps in order, and the first that differs. */
import { parsedArguments } from "../parts/arguments";
import type { QuestionDocument, RunDocument } from "../wire";
import { commonPlaces } from "../question/diff";
import { type Step, stepsOf } from "./steps";

export interface Pair {
  a: Step | undefined;
  b: Step | undefined;
  isSame: boolean;
}

export interface Aligned {
  pairs: Pair[];
  /** The index of the first pair that differs, or -1. */
  first: number;
}

/** Steps are the same if they say and do the same: kind, tool, arguments, result and text. Times do not count. */
export function align(a: RunDocument, b: RunDocument): Aligned {
  const left = stepsOf(a).filter((each) => each.kind !== "end");
  const right = stepsOf(b).filter((each) => each.kind !== "end");
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  const alone = (untilI: number, untilJ: number) => {
    while (i < untilI && j < untilJ) pairs.push({ a: left[i++], b: right[j++], isSame: false });
    while (i < untilI) pairs.push({ a: left[i++], b: undefined, isSame: false });
    while (j < untilJ) pairs.push({ a: undefined, b: right[j++], isSame: false });
  };
  for (const [x, y] of commonPlaces(left.map(kindOf), right.map(kindOf))) {
    alone(x, y);
    pairs.push({ a: left[i], b: right[j], isSame: isSame(left[i++]!, right[j++]!) });
  }
  alone(left.length, right.length);
  return { pairs, first: pairs.findIndex((each) => !each.isSame) };
}

/** What two steps have in common that stand beside each other. */
function kindOf(step: Step): string {
  return `${step.kind} ${step.call?.tool ?? step.question?.tool ?? ""}`;
}

function isSame(a: Step, b: Step): boolean {
  if (a.kind !== b.kind || a.text !== b.text) return false;
  if (a.question && b.question) return isSameQuestion(a.question, b.question);
  return (
    a.call?.tool === b.call?.tool && a.call?.arguments === b.call?.arguments && a.call?.content === b.call?.content
  );
}

/** The same call was asked about, and it got the same answer. Who gave it does not count. */
function isSameQuestion(a: QuestionDocument, b: QuestionDocument): boolean {
  return a.tool === b.tool && a.arguments === b.arguments && a.decision?.approved === b.decision?.approved;
}

/** What a step says beyond its sentence, to be compared word by word. */
export function wordsOf(step: Step | undefined): string {
  if (!step) return "";
  if (step.question?.decision)
    return `${step.question.decision.by} ${step.question.decision.approved ? "said yes" : "said no"}`;
  if (step.call) return step.call.error || argumentsInWords(step.call.arguments);
  return step.text;
}

function argumentsInWords(text: string): string {
  return Object.entries(parsedArguments(text))
    .map(([name, value]) => `${name}: ${typeof value === "object" ? leavesOf(value).join(", ") : String(value)}`)
    .join("; ");
}

function leavesOf(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [String(value)];
  return Object.values(value).flatMap(leavesOf);
}
