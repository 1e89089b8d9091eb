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
  hasList: boolean;
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
  logs?: LogLine[];
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
  worked?: number;
  waited?: number;
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
  /** The question that replaced this one, because what it showed has changed. */
  replacedBy?: string;
  may: { approve: boolean; deny: boolean; edit: boolean; kind: "confirm" | "approve" };
  decision: DecisionDocument | null;
}

export interface DecisionRequest {
  approved: boolean;
  kind?: "confirm" | "approve";
  reason?: string;
  arguments?: string;
  result?: string;
}

export interface ConversationRow {
  id: string;
  title: string;
  owner: string;
  agent: string;
  updated: number;
  shared?: Record<string, string>;
  access?: "owner" | "write" | "read";
}

export interface ConversationDocument extends ConversationRow {
  runs: RunRow[];
}

export interface FactsDocument {
  effect: string;
  risk: string;
  permissions: string[];
  egress: boolean;
  untrustedOutput: boolean;
  [other: string]: unknown;
}

export interface ToolDocument {
  name: string;
  title: string;
  description: string;
  parameters: JsonSchema;
  result: JsonSchema;
  facts: FactsDocument;
  digest: string;
  group?: string;
  layers?: string[];
  agents?: string[];
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
  sentence: Sentence;
  arguments: string;
  principal: string;
  target: string;
  by: string;
  given: number;
  expires: number;
  count: number;
  used: number;
  reason: string;
}

export interface RuleDocument {
  name: string;
  verdict: "asks" | "blocks" | "allows";
  text: string;
  permission: string;
  fourEyes?: boolean;
}

export interface PolicyDocument {
  version: string;
  rules: RuleDocument[];
  layers: { scope: string; layers: string[] }[];
}

export interface ScheduleDocument {
  id: string;
  title: string;
  agent: string;
  every: string;
  next: number;
  principal: string;
}

export interface UsageReport {
  total: Usage;
  days: { day: string; cost: number | null; requests: number }[];
  people: { principal: string; runs: number; calls: number; questions: number; cost: number | null }[];
}

export interface Difference {
  place: number;
  what: string;
  expected: string;
  actual: string;
}

export interface ReplayDocument {
  identical: boolean;
  compared: number;
  difference: Difference | null;
}

export interface ItemDocument {
  place: number;
  kind: string;
  at: number;
  call: string;
  text: string;
}

export interface FileDocument {
  digest: string;
  name: string;
  mediaType: string;
  size: number;
  at: number;
}

/** The events of `/api/watch`, by name. */
export type WatchEvent =
  | { event: "start"; data: { after: string } }
  | { event: "run"; data: RunRow }
  | { event: "question"; data: QuestionDocument }
  | { event: "conversation"; data: ConversationRow };
