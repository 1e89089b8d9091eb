/** The state of a run that is read whole: the same as the fold of its stream. */
import type { LogLine } from "../events";
import type { CallDocument, RunDocument } from "../wire";
import { type Block, type CallView, emptyRun, type RunState } from "./run-state";

export function fromDocument(document: RunDocument): RunState {
  const root = document.root;
  const calls = root ? walk(root).filter((each) => each !== root && each.call) : [];
  const views = Object.fromEntries(calls.map((each) => [keyOf(each), viewOf(each)]));
  return {
    ...emptyRun(document.run),
    status: document.status,
    blocks: root ? blocksOf(document, root) : [],
    calls: views,
    keys: Object.fromEntries(calls.map((each) => [each.call, keyOf(each)])),
    questions: Object.fromEntries(document.questions.map((each) => [each.id, each])),
    receipt: document.receipt,
    usage: document.usage,
    error: document.error,
    rest: document.reason ? { reason: document.reason, retryAt: document.retryAt } : null,
  };
}

/** Whether a run is one call of a tool, by hand or by an action, and no agent's. */
export function isDirect(document: RunDocument): boolean {
  return document.root !== null && document.messages.length === 0;
}

/** What a run is about: the words of the person, or the sentence of the call that it is. */
export function titleOfRun(document: RunDocument): string {
  return (isDirect(document) && document.root?.sentence.text) || document.title || "Untitled";
}

/** A call and all below it, in order. */
export function walk(call: CallDocument): CallDocument[] {
  return [call, ...call.calls.flatMap(walk)];
}

export function keyOf(call: CallDocument): string {
  return call.call;
}

function blocksOf(document: RunDocument, root: CallDocument): Block[] {
  const blocks: Block[] = [];
  const placed = new Set<string>();
  const byId = new Map(root.calls.map((each) => [each.call, each]));
  for (const [index, message] of document.messages.entries()) {
    if (message.given || message.role !== "assistant" || message.agent !== root.call) continue;
    if (message.text) blocks.push({ kind: "text", id: `${document.run}/${index}`, text: message.text, isOpen: false });
    for (const id of message.calls) {
      const call = byId.get(id);
      if (!call || placed.has(keyOf(call))) continue;
      placed.add(keyOf(call));
      blocks.push({ kind: "call", key: keyOf(call) });
    }
  }
  const rest = root.calls.filter((each) => each.call && !placed.has(keyOf(each)));
  return [...blocks, ...rest.map((each): Block => ({ kind: "call", key: keyOf(each) }))];
}

function viewOf(call: CallDocument): CallView {
  return {
    key: keyOf(call),
    call: call.call,
    parent: call.parent,
    tool: call.tool,
    sentence: call.sentence,
    state: call.state,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    attempt: call.attempt,
    by: call.by,
    args: call.arguments,
    result: call.content,
    error: call.error,
    rules: call.rules,
    logs: logsOf(call),
    changed: call.changed,
  };
}

/** What a tool wrote with levels, among its notes. */
export function logsOf(call: CallDocument): LogLine[] {
  return call.notes.filter((each) => each.name === "log").map((each) => ({ ...readLog(each.data), at: each.at }));
}

function readLog(data: string): Pick<LogLine, "level" | "text"> {
  try {
    const { level, message } = JSON.parse(data) as { level?: LogLine["level"]; message?: string };
    return { level: level ?? "info", text: message ?? "" };
  } catch {
    return { level: "info", text: data };
  }
}
