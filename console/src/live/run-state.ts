/** A run as a screen shows it: what was said, the calls, the questions, and what changed. */
import type { CallState, LogLine, RunStatus } from "../events";
import type { ChangedDocument, QuestionDocument, ReceiptDocument, SentenceDocument, UsageDocument } from "../wire";

export interface CallView {
  /** The id of the model's call, or of the call itself if no model made it. */
  key: string;
  call: string;
  parent: string;
  tool: string;
  sentence: SentenceDocument | null;
  state: CallState;
  startedAt: number;
  endedAt: number;
  attempt: number;
  by: string;
  args: string;
  result: string;
  error: string;
  rules: string[];
  logs: LogLine[];
  changed: ChangedDocument[];
}

export type Block =
  { kind: "text" | "thought"; id: string; text: string; isOpen: boolean } | { kind: "call"; key: string };

export interface RunState {
  run: string;
  status: RunStatus;
  blocks: Block[];
  /** The words of an answer that was dropped before it was complete: they stay if no other answer follows. */
  dropped: Block[];
  calls: Record<string, CallView>;
  /** The keys of calls, by the ids of calls. */
  keys: Record<string, string>;
  questions: Record<string, QuestionDocument>;
  receipt: ReceiptDocument | null;
  usage: UsageDocument | null;
  error: string;
  /** The ids of messages that the person wrote. */
  prompts: string[];
  /** Why the run rests, and until when. */
  rest: { reason: string; retryAt: number } | null;
}

/** Whether a run works, or will without a person. */
export function isMoving(status: RunStatus): boolean {
  return status === "running" || status === "queued";
}

export function emptyRun(run: string): RunState {
  return {
    run,
    status: "running",
    blocks: [],
    dropped: [],
    calls: {},
    keys: {},
    questions: {},
    receipt: null,
    usage: null,
    error: "",
    prompts: [],
    rest: null,
  };
}

export function emptyCall(key: string, tool: string): CallView {
  return {
    key,
    call: "",
    parent: "",
    tool,
    sentence: null,
    state: "asked",
    startedAt: 0,
    endedAt: 0,
    attempt: 0,
    by: "",
    args: "",
    result: "",
    error: "",
    rules: [],
    logs: [],
    changed: [],
  };
}

/** The calls below a call. */
export function callsOf(state: RunState, call: CallView): CallView[] {
  return call.call ? Object.values(state.calls).filter((each) => each.parent === call.call) : [];
}

/** The open questions of a run, in the order in which they were asked. */
export function openQuestions(state: RunState): QuestionDocument[] {
  return Object.values(state.questions)
    .filter((each) => each.status === "open" && each.waits)
    .sort((a, b) => a.asked - b.asked);
}

/** The object that was changed last: a preview follows it. */
export function lastChanged(state: RunState): ChangedDocument | null {
  const changes = Object.values(state.calls).flatMap((each) => each.changed);
  return changes.at(-1) ?? null;
}
