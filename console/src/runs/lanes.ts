/** The course of a run as lanes: one for each agent, with a bar for each call, request to a model, and wait. */
import { isDirect, titleOfRun } from "../live/document";
import { plainSentence } from "../parts/sentence";
import type { CallDocument, MessageDocument, QuestionDocument, RunDocument, SentenceDocument } from "../wire";

export type BarKind = "said" | "model" | "call" | "wait";

export interface Bar {
  /** What the address of the page names: the id of a call, or of a message of a lane. */
  id: string;
  kind: BarKind;
  sentence: SentenceDocument;
  from: number;
  to: number;
  call: CallDocument | null;
  message: MessageDocument | null;
  /** How many alike neighbours the bar stands for. */
  count: number;
}

export interface Lane {
  id: string;
  title: string;
  note: string;
  bars: Bar[];
}

export interface Course {
  lanes: Lane[];
  /** Times in which the run waited for a person. */
  waits: [number, number][];
  from: number;
  to: number;
}

export function courseOf(document: RunDocument, now: number): Course {
  const to = document.ended || now;
  const waits = waitsOf(document.questions, document.opened, to);
  const lanes: Lane[] = document.root ? lanesOf(document.root, document, to) : [];
  const said: Bar = {
    ...blank(`said`, "said", document.opened, document.opened),
    sentence: { text: isDirect(document) ? titleOfRun(document) : `“${document.title}”`, parts: [] },
  };
  return {
    lanes: [{ id: "person", title: document.principal, note: "", bars: [said] }, ...lanes],
    waits,
    from: document.opened,
    to,
  };
}

function blank(id: string, kind: BarKind, from: number, to: number): Bar {
  return { id, kind, sentence: { text: "", parts: [] }, from, to, call: null, message: null, count: 1 };
}

/** A lane for a call that makes calls, and below it those of its callees. */
function lanesOf(owner: CallDocument, document: RunDocument, end: number): Lane[] {
  const calls = owner.calls.filter((each) => each.call);
  const own = isDirect(document) && owner === document.root ? barsOfCall(owner, document.questions, end) : [];
  const bars = [
    ...own,
    ...calls.flatMap((each) => barsOfCall(each, document.questions, end)),
    ...requestsOf(owner, document),
  ];
  bars.sort((a, b) => a.from - b.from || a.to - b.to);
  const lane: Lane = {
    id: owner.call,
    title: plainSentence(owner.tool).text,
    note: owner.parent ? "called" : "",
    bars,
  };
  const inner = calls.filter((each) => each.calls.length > 0);
  return [lane, ...inner.flatMap((each) => lanesOf(each, document, end))];
}

function barsOfCall(call: CallDocument, questions: QuestionDocument[], end: number): Bar[] {
  const from = call.startedAt || call.askedAt;
  const to = call.endedAt || (call.state === "running" ? end : from);
  const bar: Bar = { ...blank(call.call, "call", from, Math.max(from, to)), sentence: call.sentence, call };
  const asked = questions.filter((each) => each.call === call.call).map((each) => waitBar(each, call, end));
  return call.startedAt || asked.length === 0 ? [...asked, bar] : asked;
}

function waitBar(question: QuestionDocument, call: CallDocument, end: number): Bar {
  const to = endOf(question, end);
  const text = `Asked ${question.decision?.by || "a person"}`;
  return { ...blank(call.call, "wait", Math.min(question.asked, to), to), sentence: { text, parts: [] }, call };
}

/** When a run stopped waiting for an answer: at the latest at its own end, also if the answer came after that. */
function endOf(question: QuestionDocument, end: number): number {
  const until = question.status === "open" ? end : question.expires || end;
  return Math.min(question.decision?.at ?? until, end);
}

/** A request to a model ends with its message, and began when its agent had nothing else to wait for. */
function requestsOf(owner: CallDocument, document: RunDocument): Bar[] {
  const answers = document.messages.filter((each) => each.agent === owner.call && each.by === "model" && !each.given);
  let before = owner.startedAt || owner.askedAt || document.opened;
  return answers.map((message, index) => {
    const ends = owner.calls.map((each) => each.endedAt).filter((at) => at > 0 && at <= message.at);
    const from = Math.min(message.at, Math.max(before, ...ends));
    before = message.at;
    return { ...blank(`${owner.call}.${index}`, "model", from, message.at), message };
  });
}

function waitsOf(questions: QuestionDocument[], from: number, to: number): [number, number][] {
  const spans = questions
    .map((each): [number, number] => [Math.max(each.asked, from), endOf(each, to)])
    .filter(([start, end]) => end > start)
    .sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Alike neighbours as one bar: the same tool, the same state, nothing between them. */
export function foldBars(bars: Bar[]): Bar[] {
  const folded: Bar[] = [];
  for (const bar of bars) {
    const last = folded.at(-1);
    const isAlike =
      bar.kind === "call" &&
      last?.kind === "call" &&
      last.call?.tool === bar.call?.tool &&
      last.call?.state === bar.call?.state;
    if (isAlike && last && bar.call?.calls.length === 0) {
      folded[folded.length - 1] = { ...last, to: Math.max(last.to, bar.to), count: last.count + 1 };
    } else folded.push(bar);
  }
  return folded;
}
