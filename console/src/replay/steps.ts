/** The steps of a run in the order of time: what was asked, each answer of a model, each call, each wait, the end. */
import { walk } from "../live/document";
import type { CallDocument, ChangedDocument, QuestionDocument, RunDocument, SentenceDocument } from "../wire";

export type StepKind = "said" | "model" | "call" | "wait" | "end";

export interface Step {
  id: string;
  kind: StepKind;
  at: number;
  sentence: SentenceDocument;
  call: CallDocument | null;
  question: QuestionDocument | null;
  text: string;
}

const plain = (text: string): SentenceDocument => ({ text, parts: [] });

export function stepsOf(document: RunDocument): Step[] {
  const calls = document.root ? walk(document.root).slice(1) : [];
  const blank = { call: null, question: null, text: "" };
  const steps: Step[] = [
    {
      ...blank,
      id: "asked",
      kind: "said",
      at: document.opened,
      sentence: plain(`${document.principal} asked`),
      text: document.title,
    },
    ...document.messages
      .filter((each) => each.by === "model" && !each.given)
      .map((each, index): Step => ({
        ...blank,
        id: `model ${index}`,
        kind: "model",
        at: each.at,
        sentence: plain(each.text ? "The model answered" : "The model asked for calls"),
        text: each.text,
      })),
    ...document.questions.map((each): Step => ({
      ...blank,
      id: `wait ${each.id}`,
      kind: "wait",
      at: each.asked,
      sentence: plain("A person was asked"),
      question: each,
    })),
    ...calls
      .filter((each) => each.endedAt > 0)
      .map((each): Step => ({
        ...blank,
        id: each.call,
        kind: "call",
        at: each.endedAt,
        sentence: each.sentence,
        call: each,
      })),
  ];
  const order: Record<StepKind, number> = { said: 0, model: 1, wait: 2, call: 3, end: 4 };
  steps.sort((a, b) => a.at - b.at || order[a.kind] - order[b.kind]);
  if (document.ended > 0)
    steps.push({
      ...blank,
      id: "end",
      kind: "end",
      at: document.ended,
      sentence: plain("The run ended"),
      text: document.text,
    });
  return steps;
}

/** The objects that were changed up to a step, each once, the newest last. */
export function changedUpTo(steps: Step[], index: number): (ChangedDocument & { isNew: boolean })[] {
  const found = new Map<string, ChangedDocument & { isNew: boolean }>();
  for (const [place, step] of steps.slice(0, index + 1).entries()) {
    for (const each of step.call?.changed ?? []) {
      found.delete(`${each.kind}/${each.id}`);
      found.set(`${each.kind}/${each.id}`, { ...each, isNew: place === index });
    }
  }
  return [...found.values()];
}
