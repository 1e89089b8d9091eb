/** The fold of a stream of AG-UI events. A rejoined stream may begin anywhere; no event counts twice. */
import type { AguiEvent, CallEvent, SnapshotMessage } from "../events";
import type { RunStatus } from "../events";
import { type Block, type CallView, emptyCall, type RunState } from "./run-state";

const ENDS: Record<string, RunStatus> = { success: "done", interrupt: "waiting", cancelled: "cancelled" };

export function fold(state: RunState, event: AguiEvent): RunState {
  switch (event.type) {
    case "RUN_STARTED":
      return { ...state, status: "running", error: "" };
    case "RUN_FINISHED":
      return endRun(state, ENDS[event.outcome?.type ?? "success"] ?? "done");
    case "RUN_ERROR":
      return { ...endRun(state, event.code === "cancelled" ? "cancelled" : "failed"), error: event.message };
    case "TEXT_MESSAGE_START":
      return event.role === "user"
        ? { ...state, prompts: [...state.prompts, event.messageId] }
        : begin(state, "text", event.messageId);
    case "TEXT_MESSAGE_CONTENT":
      if (state.prompts.includes(event.messageId)) return state;
      return write(state, event.messageId, event.delta, "text");
    case "TEXT_MESSAGE_END":
    case "REASONING_MESSAGE_END":
      return withBlock(state, event.messageId, (block) => ({ ...block, isOpen: false }));
    case "REASONING_MESSAGE_START":
      return begin(state, "thought", event.messageId);
    case "REASONING_MESSAGE_CONTENT":
      return write(state, event.messageId, event.delta, "thought");
    case "TOOL_CALL_START":
      return withCall(state, event.toolCallId, event.toolCallName, (call) => ({ ...call, args: "" }));
    case "TOOL_CALL_ARGS":
      return withCall(state, event.toolCallId, "", (call) => ({ ...call, args: call.args + event.delta }));
    case "TOOL_CALL_RESULT":
      return withCall(state, event.toolCallId, "", (call) => endCall(call, event.content));
    case "MESSAGES_SNAPSHOT":
      return snapshot(state, event.messages);
    case "CUSTOM":
      return foldOwn(state, event);
    default:
      return state;
  }
}

function foldOwn(state: RunState, event: Extract<AguiEvent, { type: "CUSTOM" }>): RunState {
  switch (event.name) {
    case "remit.call":
      return placeCall(state, event.value);
    case "remit.question":
      return { ...state, questions: { ...state.questions, [event.value.id]: event.value } };
    case "remit.log": {
      const { call, ...line } = event.value;
      return withKnown(state, call, (known) => ({ ...known, logs: [...known.logs, line] }));
    }
    case "remit.changed": {
      const { call, ...object } = event.value;
      return withKnown(state, call, (known) => ({ ...known, changed: [...known.changed, object] }));
    }
    case "remit.receipt":
      return { ...state, receipt: event.value };
    case "remit.rest":
      return { ...state, status: "stalled", rest: event.value };
    case "remit.usage":
      return { ...state, usage: event.value };
    default:
      return state;
  }
}

/**
 * A call of the model stands where it was requested; a call of a body stands below its caller, or in the talk if the
 * run itself makes it. The run's own call is no part of the talk.
 */
function placeCall(state: RunState, value: CallEvent): RunState {
  if (!value.parent) return state;
  const before = state.keys[value.call];
  const key = value.toolCallId || before || value.call;
  const { toolCallId: _, ...facts } = value;
  const isBelow = !value.toolCallId && value.parent in state.keys;
  const placed = {
    ...withoutKey(state, before === key ? undefined : before),
    keys: { ...state.keys, [value.call]: key },
  };
  return withCall(placed, key, value.tool, (call) => ({ ...call, ...facts }), !isBelow);
}

/** A call that was told before its place in the model's answer was known is placed anew. */
function withoutKey(state: RunState, key: string | undefined): RunState {
  if (key === undefined) return state;
  const { [key]: _, ...calls } = state.calls;
  return { ...state, calls, blocks: state.blocks.filter((each) => each.kind !== "call" || each.key !== key) };
}

function begin(state: RunState, kind: "text" | "thought", id: string): RunState {
  const block: Block = { kind, id, text: "", isOpen: true };
  const known = state.blocks.some((each) => each.kind !== "call" && each.id === id);
  const begun = { ...state, dropped: [] };
  return known ? withBlock(begun, id, () => block) : { ...begun, blocks: [...state.blocks, block] };
}

function write(state: RunState, id: string, delta: string, kind: "text" | "thought"): RunState {
  const known = state.blocks.some((each) => each.kind !== "call" && each.id === id);
  const begun = known ? state : begin(state, kind, id);
  return withBlock(begun, id, (block) => ({ ...block, text: block.text + delta }));
}

type Written = Exclude<Block, { kind: "call" }>;

function withBlock(state: RunState, id: string, change: (block: Written) => Written): RunState {
  const blocks = state.blocks.map((each) => (each.kind !== "call" && each.id === id ? change(each) : each));
  return { ...state, blocks };
}

function withCall(
  state: RunState,
  key: string,
  tool: string,
  change: (call: CallView) => CallView,
  isListed = true,
): RunState {
  const call = change(state.calls[key] ?? emptyCall(key, tool));
  const blocks: Block[] = isListed && !(key in state.calls) ? [...state.blocks, { kind: "call", key }] : state.blocks;
  return { ...state, blocks, calls: { ...state.calls, [key]: call } };
}

function withKnown(state: RunState, call: string, change: (call: CallView) => CallView): RunState {
  const key = state.keys[call] ?? call;
  const known = state.calls[key];
  return known ? { ...state, calls: { ...state.calls, [key]: change(known) } } : state;
}

function endCall(call: CallView, content: string): CallView {
  const settled = call.state === "asked" || call.state === "running" ? "done" : call.state;
  return { ...call, result: content, state: settled };
}

/** The end of a run. What its last answer had begun to say stays: a person has read it. */
export function endRun(state: RunState, status: RunStatus): RunState {
  return { ...state, blocks: closed([...state.blocks, ...state.dropped]), dropped: [], status };
}

function closed(blocks: Block[]): Block[] {
  return blocks.map((each) => (each.kind !== "call" && each.isOpen ? { ...each, isOpen: false } : each));
}

/** Put the messages of a snapshot in place of what was streamed: an answer was dropped. */
function snapshot(state: RunState, messages: SnapshotMessage[]): RunState {
  const blocks: Block[] = [];
  const calls = { ...state.calls };
  for (const message of messages) {
    if (message.role === "tool" && message.toolCallId && calls[message.toolCallId]) {
      calls[message.toolCallId] = endCall(calls[message.toolCallId]!, message.content ?? "");
    }
    if (message.role !== "assistant") continue;
    if (message.content) blocks.push({ kind: "text", id: message.id, text: message.content, isOpen: false });
    for (const each of message.toolCalls ?? []) {
      const known = calls[each.id] ?? emptyCall(each.id, each.function.name);
      calls[each.id] = { ...known, args: each.function.arguments };
      blocks.push({ kind: "call", key: each.id });
    }
  }
  const told = new Set(messages.map((each) => each.content));
  const dropped = state.blocks.filter((each) => each.kind === "text" && each.text && !told.has(each.text));
  return { ...state, blocks, calls, dropped };
}
