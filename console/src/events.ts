/** What the description of the API does not say: the events of its streams, and names for some of its types. */
import type {
  CallDocument,
  ChangedDocument,
  ConversationDocument,
  QuestionDocument,
  ReceiptDocument,
  RunRowDocument,
  SentenceDocument,
  UsageDocument,
} from "./wire";

export type RunStatus = RunRowDocument["status"];
export type CallState = CallDocument["state"];

/** A line that a tool wrote with `ctx.log`. */
export interface LogLine {
  level: "debug" | "info" | "warning" | "error";
  text: string;
  at: number;
}

/** An item of a journal as an export has it, without the fields of its kind. */
export interface JournalItem {
  seq: number;
  kind: string;
  at: number;
  call: string;
}

/** The events of `/api/watch`, by name. */
export type WatchEvent =
  | { event: "start"; data: { after: string } }
  | { event: "run"; data: RunRowDocument }
  | { event: "question"; data: QuestionDocument }
  | { event: "conversation"; data: ConversationDocument };

export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
}

/** The AG-UI events that the server sends. Its own ones travel as CUSTOM. */
export type AguiEvent =
  | { type: "RUN_STARTED"; threadId: string; runId: string }
  | { type: "RUN_FINISHED"; threadId: string; runId: string; outcome?: { type: string; interrupts?: Interrupt[] } }
  | { type: "RUN_ERROR"; message: string; code?: string }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role?: string }
  | { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TEXT_MESSAGE_END"; messageId: string }
  | {
      type: "REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_START" | "REASONING_MESSAGE_END";
      messageId: string;
    }
  | { type: "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; content: string }
  | { type: "MESSAGES_SNAPSHOT"; messages: SnapshotMessage[] }
  | { type: "CUSTOM"; name: "remit.call"; value: CallEvent }
  | { type: "CUSTOM"; name: "remit.question"; value: QuestionDocument }
  | { type: "CUSTOM"; name: "remit.log"; value: LogLine & { call: string } }
  | { type: "CUSTOM"; name: "remit.note"; value: { call: string; name: string; data: unknown } }
  | { type: "CUSTOM"; name: "remit.changed"; value: ChangedDocument & { call: string } }
  | { type: "CUSTOM"; name: "remit.receipt"; value: ReceiptDocument }
  | { type: "CUSTOM"; name: "remit.usage"; value: UsageDocument }
  | { type: "CUSTOM"; name: "remit.rest"; value: { reason: string; retryAt: number } };

/** A change of a call's state. Nested calls have no `toolCallId` of a model. */
export interface CallEvent {
  toolCallId: string;
  call: string;
  parent: string;
  tool: string;
  sentence: SentenceDocument;
  state: CallState;
  startedAt: number;
  endedAt: number;
  attempt: number;
  by: string;
}

export interface SnapshotMessage {
  id: string;
  role: string;
  content?: string;
  toolCalls?: { id: string; function: { name: string; arguments: string } }[];
  toolCallId?: string;
}
