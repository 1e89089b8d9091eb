/** The recorded stream of the run that writes while one looks. */
import type { AguiEvent } from "../events";
import { NOW, say } from "./build";

const ANSWER =
  "Almost. The order page says that parcels leave “in December”, but the post asks for orders **by the end of November**. Somebody who reads only the order page on 5 December would order too late.\n\nI can change one sentence:\n\n- *now*: Only stollen, in December.\n- *then*: Only stollen, if ordered by 30 November.";

function step(
  toolCallId: string,
  call: string,
  tool: string,
  text: string,
  state: "running" | "done",
  seconds: number,
): AguiEvent {
  const startedAt = NOW;
  const value = {
    toolCallId,
    call,
    parent: "root",
    tool,
    sentence: say(text),
    state,
    startedAt,
    endedAt: state === "done" ? NOW + seconds : 0,
    attempt: 1,
    by: "editor",
  };
  return { type: "CUSTOM", name: "remit.call", value };
}

export const STREAM: AguiEvent[] = [
  { type: "RUN_STARTED", threadId: "c7", runId: "r3" },
  { type: "TOOL_CALL_START", toolCallId: "w1", toolCallName: "get_page" },
  { type: "TOOL_CALL_ARGS", toolCallId: "w1", delta: '{"page": "Order"}' },
  { type: "TOOL_CALL_END", toolCallId: "w1" },
  step("w1", "k1", "get_page", "Reading *Order* and the post *Stars and stollen*", "running", 0),
  step("w1", "k1", "get_page", "Read *Order* and the post *Stars and stollen*", "done", 0.9),
  step("w2", "k2", "find_text", "Finding “stollen”", "running", 0),
  step("w2", "k2", "find_text", "Found “stollen” in *2 pages* and a post", "done", 0.6),
  { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
  ...ANSWER.split(/(?<=\s)/).map((delta): AguiEvent => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta })),
];
