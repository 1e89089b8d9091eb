/**
 * The documents and events of the server, as they are on the wire. Times are seconds since the epoch, 0 for never.
 * Fields that a server may leave out are optional: a screen shows nothing in their place.
 */

/** A sentence for people. `parts` are its pieces; true marks a name. */
export interface Sentence {
  text: string;
  parts: [string, boolean][];
}

/** A page of a list. `next` is the cursor of the next page, empty on the last. */
export interface Listed<T> {
  items: T[];
  next: string;
}

/** Why a request was refused. */
export interface Problem {
  error: string;
  code: string;
}

export interface AgentDocument {
  name: string;
  description: string;
  model?: string;
  examples?: ExampleDocument[];
}

/** A first thing to ask, with what it will do: "Reads only". */
export interface ExampleDocument {
  prompt: string;
  note: string;
}

/** A kind of object that the application shows. */
export interface ViewDocument {
  kind: string;
  /** What the objects are called, in the plural. */
  title: string;
  listed: boolean;
  /** Whether the objects are sets of changes. */
  hasChanges: boolean;
}

/** An object in a list. Rows with the same `group` are neighbours. */
export interface ObjectRow {
  id: string;
  name: string;
  note: string;
  group: string;
  needsPerson: boolean;
  at: number;
}

/** A page that shows an object: its addresses before and after the changes, each empty if there is no such page. */
export interface ObjectPage {
  title: string;
  before: string;
  after: string;
  note: string;
}

export interface ObjectSection {
  title: string;
  text: string;
  columns: string[];
  rows: string[][];
}

/** Something that a person can do with an object: a governed call of a tool. */
export interface ObjectAction {
  label: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export interface ObjectDetail {
  name: string;
  note: string;
  pages: ObjectPage[];
  sections: ObjectSection[];
  changes: ChangeDocument[];
  /** The most likely one last. */
  actions: ObjectAction[];
  files: FileDocument[];
  /** Why its main action is not possible now. */
  blocked: string;
}

export interface ApplicationDocument {
  name: string;
  agents: AgentDocument[];
  views?: ViewDocument[];
  question?: string;
  note?: string;
}

export interface Me {
  name: string;
  tenant: string;
  roles: string[];
  permissions: string[];
  can: { decide: boolean; readAll: boolean; cancelAll: boolean; loosen: boolean; manageConversations: boolean };
  application: ApplicationDocument;
  csrf: string;
  target?: string;
  isRehearsal?: boolean;
}

export type RunStatus =
  "queued" | "running" | "open" | "waiting" | "stalled" | "scheduled" | "done" | "failed" | "cancelled";

export interface Usage {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  cost: number | null;
}

export interface FailureDocument {
  call: string;
  tool: string;
  at: number;
  code: string;
  message: string;
}

export interface RunRow {
  run: string;
  status: RunStatus;
  principal: string;
  agent: string;
  conversation: string;
  target: string;
  opened: number;
  ended: number;
}

export interface RunSummary extends RunRow {
  title: string;
  calls: number;
  openQuestions: number;
  usage: Usage;
  worked: number;
  waited: number;
  due: number;
  failure: FailureDocument | null;
}

export type CallState = "asked" | "running" | "done" | "failed" | "denied" | "unknown";

export interface ChangedObject {
  kind: string;
  id: string;
  name: string;
  fields: string[];
  revision: string;
}

export type LogLevel = "debug" | "info" | "warning" | "error";

export interface LogLine {
  level: LogLevel;
  text: string;
  at: number;
}

/** A note that a tool wrote, with its data as JSON. */
export interface NoteDocument {
  name: string;
  data: string;
  at: number;
}

export interface CallDocument {
  /** Its id; empty until the call is recorded. */
  call: string;
  parent: string;
  tool: string;
  sentence: Sentence;
  state: CallState;
  /** The agent or tool that makes it. */
  by: string;
  arguments: string;
  content: string;
  error: string;
  askedAt: number;
  startedAt: number;
  endedAt: number;
  attempt: number;
  rules: string[];
  questions: string[];
  notes: NoteDocument[];
  changed: ChangedObject[];
  calls: CallDocument[];
}

export interface MessageDocument {
  /** The id of the agent's call. */
  agent: string;
  role: string;
  by: string;
  text: string;
  at: number;
  given: boolean;
  /** The ids of the calls that it requests, in order. */
  calls: string[];
}

export interface ReceiptRow {
  call: string;
  tool: string;
  sentence: Sentence;
  objects: ChangedObject[];
  described?: string[];
  error: string;
  /** The call that takes it back, where the tool declares one. */
  undo?: { tool: string; arguments: Record<string, unknown> } | null;
}

export interface Receipt {
  changed: ReceiptRow[];
  failed: ReceiptRow[];
  unknown: ReceiptRow[];
  notMade: ReceiptRow[];
  erased: ReceiptRow[];
}

export interface RunDocument extends RunRow {
  title: string;
  text: string;
  error: string;
  reason: string;
  retryAt: number;
  root: CallDocument | null;
  messages: MessageDocument[];
  questions: QuestionDocument[];
  receipt: Receipt;
  usage: Usage;
  failure: FailureDocument | null;
}

export interface ChangeDocument {
  where: string;
  before: string;
  after: string;
}

export type QuestionStatus =
  "open" | "approved" | "denied" | "taken" | "expired" | "closed" | "cancelled" | "erased" | "stale";

export interface DecisionDocument {
  approved: boolean;
  by: string;
  kind: "confirm" | "approve";
  at: number;
  reason: string;
  arguments: string;
  grant: string;
}

export interface PlannedCallDocument {
  call: string;
  tool: string;
  sentence: Sentence;
  summary: string;
  rows: ChangeDocument[];
  arguments: string;
}

export interface QuestionDocument {
  id: string;
  status: QuestionStatus;
  about: "approval" | "outcome";
  needs: "confirm" | "approve";
  sentence: Sentence;
  summary: string;
  consequence?: string;
  why: string;
  rule: string;
  risk: string;
  quote: string;
  rows: ChangeDocument[];
  news: ChangeDocument[];
  link: string;
  tool: string;
  arguments: string;
  atDefault: string[];
  digest: string;
  plan: PlannedCallDocument[];
  asker: string;
  agent: string;
  run: string;
  call: string;
  conversation: string;
  target: string;
  asked: number;
  expires: number;
  permissions: string[];
  /** Names of the people who may answer, if the server knows them. */
  people?: string[];
  fourEyes: boolean;
  waits: boolean;
  edits: string;
  replaces: string;
  may: { approve: boolean; deny: boolean; edit: boolean; kind: "confirm" | "approve" };
  decision: DecisionDocument | null;
}

export interface DecisionRequest {
  approved: boolean;
  kind?: "confirm" | "approve";
  reason?: string;
  /** Arguments in place of those of the call. */
  arguments?: Record<string, unknown>;
  result?: string;
}

export interface ShareDocument {
  principal: string;
  access: string;
}

export interface ConversationRow {
  conversation: string;
  title: string;
  owner: string;
  target: string;
  status: RunStatus;
  opened: number;
  /** When it was last continued. */
  active: number;
  shares: ShareDocument[];
}

/** A conversation with its runs, oldest first. */
export interface ConversationHistory {
  conversation: ConversationRow;
  runs: RunRow[];
}

export interface ToolDocument {
  name: string;
  description: string;
  parameters: JsonSchema;
  result: JsonSchema;
  digest: string;
  effect: string;
  risk: string;
  permissions: string[];
  egress: boolean;
  declared: boolean;
  tags: string[];
  timeout: number | null;
  confirm: string | null;
  /** The sentence of a call without arguments. */
  sentence: Sentence;
  consequence: string;
}

/** What came of a call by hand. One that waits goes on when its `questions` are decided. */
export interface CallOutcome {
  run: string;
  status: RunStatus;
  questions: string[];
  reason: string;
  error: string;
  code: string;
  result: unknown;
}

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  default?: unknown;
  format?: string;
  maxLength?: number;
  maximum?: number;
  minimum?: number;
}

export interface GrantDocument {
  id: string;
  tool: string;
  arguments: string;
  principal: string;
  by: string;
  given: number;
  expires: number;
  count: number;
  used: number;
  revokedBy: string;
  permission: string;
  reason: string;
  target: string;
}

export interface RuleDocument {
  name: string;
  meaning: string;
  /** The strictest that it can do, in words. */
  verdict: string;
}

export interface PolicyDocument {
  version: string;
  rules: RuleDocument[];
  /** The layers around every call as lines, outermost first. */
  layers: string;
}

export interface ReplayDocument {
  run: string;
  identical: boolean;
  compared: number;
  difference: string;
}

export interface ItemDocument {
  seq: number;
  kind: string;
  at: number;
  call: string;
}

export interface FileDocument {
  digest: string;
  name: string;
  mediaType: string;
  size: number;
}

/** The events of `/api/watch`, by name. */
export type WatchEvent =
  | { event: "start"; data: { after: string } }
  | { event: "run"; data: RunRow }
  | { event: "question"; data: QuestionDocument }
  | { event: "conversation"; data: ConversationRow };
