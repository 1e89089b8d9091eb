import { describe, expect, test } from "vitest";
import type { AguiEvent, CallEvent } from "../events";
import { say } from "../stories/build";
import { PUBLISH } from "../stories/questions";
import { fold } from "./fold";
import { callsOf, emptyRun, lastChanged, openQuestions, type RunState } from "./run-state";

function foldAll(events: AguiEvent[], from: RunState = emptyRun("r")): RunState {
  return events.reduce(fold, from);
}

function callEvent(value: Partial<CallEvent>): AguiEvent {
  const whole = {
    toolCallId: "t1",
    call: "c1",
    parent: "root",
    tool: "read",
    sentence: say("Read *it*"),
    state: "running",
    startedAt: 1,
    endedAt: 0,
    attempt: 1,
    by: "editor",
    ...value,
  };
  return { type: "CUSTOM", name: "remit.call", value: whole as CallEvent };
}

const TEXT: AguiEvent[] = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hello " },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "there" },
];

describe("the fold of a stream", () => {
  test("joins the pieces of a text in order", () => {
    expect(foldAll(TEXT).blocks).toEqual([{ kind: "text", id: "m", text: "Hello there", isOpen: true }]);
  });

  test("begins a text anew when the stream is rejoined before its start", () => {
    expect(foldAll(TEXT, foldAll(TEXT)).blocks).toEqual([{ kind: "text", id: "m", text: "Hello there", isOpen: true }]);
  });

  test("keeps a call where it was requested while its state changes", () => {
    const state = foldAll([
      { type: "TOOL_CALL_START", toolCallId: "t1", toolCallName: "read" },
      { type: "TOOL_CALL_ARGS", toolCallId: "t1", delta: '{"a":' },
      { type: "TOOL_CALL_ARGS", toolCallId: "t1", delta: "1}" },
      ...TEXT,
      callEvent({}),
      callEvent({ state: "done", endedAt: 3 }),
    ]);
    expect(state.blocks.map((each) => each.kind)).toEqual(["call", "text"]);
    expect(state.calls["t1"]).toMatchObject({ state: "done", args: '{"a":1}', endedAt: 3, call: "c1" });
  });

  test("puts the calls of a body below their caller", () => {
    const state = foldAll([callEvent({}), callEvent({ toolCallId: "", call: "c2", parent: "c1" })]);
    expect(state.blocks).toHaveLength(1);
    expect(callsOf(state, state.calls["t1"]!).map((each) => each.call)).toEqual(["c2"]);
  });

  test("gives logs and changes to the call by its id", () => {
    const state = foldAll([
      callEvent({}),
      { type: "CUSTOM", name: "remit.log", value: { call: "c1", level: "warning", text: "slow", at: 2 } },
      {
        type: "CUSTOM",
        name: "remit.changed",
        value: { call: "c1", kind: "page", id: "7", name: "Home", fields: [], revision: "2" },
      },
    ]);
    expect(state.calls["t1"]?.logs.map((each) => each.text)).toEqual(["slow"]);
    expect(lastChanged(state)?.name).toBe("Home");
  });

  test("a result ends a call that the journal does not report", () => {
    const state = foldAll([
      { type: "TOOL_CALL_START", toolCallId: "t1", toolCallName: "read" },
      { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "t1", content: "42" },
    ]);
    expect(state.calls["t1"]).toMatchObject({ state: "done", result: "42" });
  });

  test("a snapshot replaces what was streamed, and knows the calls that it keeps", () => {
    const state = foldAll([
      callEvent({ state: "done" }),
      ...TEXT,
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          { id: "a", role: "user", content: "hi" },
          { id: "b", role: "assistant", toolCalls: [{ id: "t1", function: { name: "read", arguments: "{}" } }] },
        ],
      },
    ]);
    expect(state.blocks).toEqual([{ kind: "call", key: "t1" }]);
    expect(state.calls["t1"]?.sentence?.text).toBe("Read it");
  });

  test("a run that is interrupted waits with its open questions, and goes on when it is resumed", () => {
    const waits = foldAll([
      { type: "CUSTOM", name: "remit.question", value: PUBLISH },
      { type: "RUN_FINISHED", threadId: "c", runId: "r", outcome: { type: "interrupt" } },
    ]);
    expect([waits.status, openQuestions(waits).length]).toEqual(["waiting", 1]);
    expect(fold(waits, { type: "RUN_STARTED", threadId: "c", runId: "r" }).status).toBe("running");
  });

  test("an error ends the run and closes the text that was being written", () => {
    const state = foldAll([...TEXT, { type: "RUN_ERROR", message: "no money", code: "failed" }]);
    expect(state).toMatchObject({ status: "failed", error: "no money", blocks: [{ isOpen: false }] });
  });
});

describe("an answer that was dropped", () => {
  const DROPPED: AguiEvent[] = [
    ...TEXT,
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "MESSAGES_SNAPSHOT", messages: [] },
  ];

  test("keeps its words when the run is stopped", () => {
    const stopped = foldAll([
      ...DROPPED,
      { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled" } },
    ]);
    expect(stopped.status).toBe("cancelled");
    expect(stopped.blocks).toEqual([{ kind: "text", id: "m", text: "Hello there", isOpen: false }]);
  });

  test("is replaced by the one that follows", () => {
    const told = foldAll([
      ...DROPPED,
      { type: "TEXT_MESSAGE_START", messageId: "n", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "n", delta: "Good day" },
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
    ]);
    expect(told.blocks).toEqual([{ kind: "text", id: "n", text: "Good day", isOpen: false }]);
  });
});
