/** Builders of documents for the stories. Times are seconds before now. */
import type {
  CallDocument,
  MessageDocument,
  ChangedDocument,
  NoteDocument,
  QuestionDocument,
  ReceiptDocument,
  ReceiptLine,
  RunDocument,
  RunSummary,
  SentenceDocument,
  UsageDocument,
} from "../wire";

export const NOW = Math.floor(Date.now() / 1000);

/** A sentence in which *names* stand between asterisks. */
export function say(text: string): SentenceDocument {
  const parts = text
    .split("*")
    .map((part, index): [string, boolean] => [part, index % 2 === 1])
    .filter(([part]) => part);
  return { text: text.replaceAll("*", ""), parts };
}

export function usage(tokens: number, cost: number): UsageDocument {
  return {
    requests: 3,
    promptTokens: Math.round(tokens * 0.9),
    completionTokens: Math.round(tokens * 0.1),
    cachedTokens: 0,
    reasoningTokens: 0,
    scriptedRequests: 0,
    scriptedTokens: 0,
    cost,
  };
}

export function object(kind: string, name: string, fields: string[] = []): ChangedDocument {
  return { kind, id: name.toLowerCase().replaceAll(/\W+/g, "-"), name, fields, revision: "2" };
}

export function call(id: string, tool: string, text: string, rest: Partial<CallDocument> = {}): CallDocument {
  return {
    call: id,
    parent: "root",
    tool,
    sentence: say(text),
    state: "done",
    by: "editor",
    arguments: "{}",
    content: '{"success": true}',
    error: "",
    askedAt: 0,
    startedAt: 0,
    endedAt: 0,
    attempt: 1,
    rules: [],
    questions: [],
    notes: [],
    changed: [],
    calls: [],
    ...rest,
  };
}

/** Give calls the times that follow from the seconds that each takes and the pause before it. */
export function timed(from: number, steps: [CallDocument, number, number?][]): CallDocument[] {
  let at = from;
  return steps.map(([made, seconds, pause = 2]) => {
    at += pause;
    const placed = { ...made, askedAt: at - 0.2, startedAt: at, endedAt: made.state === "running" ? 0 : at + seconds };
    at += seconds;
    return placed;
  });
}

export const NO_RECEIPT: ReceiptDocument = { changed: [], failed: [], unknown: [], notMade: [], erased: [] };

export function line(id: string, tool: string, text: string, objects: ChangedDocument[], undo = false): ReceiptLine {
  return {
    call: id,
    tool,
    sentence: say(text),
    objects,
    described: [],
    error: "",
    undo: undo ? { tool, arguments: {} } : null,
  };
}

interface RunSpec {
  title: string;
  calls?: CallDocument[];
  answers?: [string, string[]][];
  rest?: Partial<RunDocument>;
}

/** A run of an agent: answers with the calls that each requests, in order. */
export function run(id: string, { title, calls = [], answers = [], rest = {} }: RunSpec): RunDocument {
  const opened = rest.opened ?? NOW - 600;
  const root = {
    ...call("root", rest.agent ?? "editor", title),
    parent: "",
    by: "",
    calls,
    startedAt: opened,
    endedAt: rest.ended ?? opened + 30,
  };
  return {
    run: id,
    status: "done",
    principal: "Ada",
    agent: "editor",
    conversation: "c1",
    target: "",
    opened,
    ended: opened + 30,
    title,
    text: "",
    error: "",
    reason: "",
    retryAt: 0,
    continuedAt: 0,
    root,
    messages: [
      { agent: "root", role: "user", by: "person", text: title, at: opened, given: false, calls: [] },
      ...answers.map(([text, made]): MessageDocument => ({
        agent: "root",
        role: "assistant",
        by: "model",
        text,
        at: Math.min(
          ...calls.filter((each) => made.includes(each.call)).map((each) => each.askedAt),
          rest.ended || opened + 30,
        ),
        given: false,
        calls: made,
      })),
    ],
    questions: [],
    receipt: NO_RECEIPT,
    usage: usage(4180, 0.02),
    failure: null,
    ...rest,
  };
}

/** The seconds that runs of the stories have waited for a person. */
const EXTRA_WAIT: Record<string, number> = { r2: 360, r5: 7440, r7: 75_000 };

export function summary(document: RunDocument): RunSummary {
  const { root, messages: _, receipt: __, questions, ...rest } = document;
  return {
    ...rest,
    calls: root?.calls.length ?? 0,
    openQuestions: questions.filter((each) => each.status === "open").length,
    worked: (document.ended || NOW) - document.opened - (EXTRA_WAIT[document.run] ?? 0),
    waited: EXTRA_WAIT[document.run] ?? 0,
    due: document.retryAt,
  };
}

export function question(id: string, text: string, rest: Partial<QuestionDocument> = {}): QuestionDocument {
  return {
    id,
    status: "open",
    about: "approval",
    needs: "approve",
    sentence: say(text),
    summary: "",
    consequence: "",
    why: "it is high-risk",
    rule: "high risk",
    risk: "high",
    quote: "",
    rows: [],
    news: [],
    link: "",
    shows: null,
    tool: "publish_set",
    arguments: '{"set": "Christmas hours"}',
    atDefault: [],
    again: null,
    digest: "0f6c8a1e57b2d9c43e80",
    plan: [],
    asker: "Ada",
    agent: "editor",
    run: "r2",
    call: "p1",
    conversation: "c1",
    target: "bakery/main",
    asked: NOW - 360,
    expires: NOW + 1380,
    permissions: ["approvals:decide"],
    fourEyes: false,
    waits: true,
    edits: "",
    replaces: "",
    may: { approve: true, deny: true, edit: true, kind: "approve" },
    decision: null,
    ...rest,
  };
}

/** A line that a tool wrote with `ctx.log`. */
export function log(level: string, message: string): NoteDocument {
  return { name: "log", data: JSON.stringify({ level, message }), at: NOW - 1400 };
}
