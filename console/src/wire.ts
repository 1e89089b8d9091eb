/** The documents of the server. Made from its OpenAPI description by `make docs`; do not edit. */

/** A page of a list. `next` is the cursor of the page that follows, empty on the last one. */
export interface Listed<T> {
  items: T[];
  next: string;
}

/**
 * An agent that people talk to. The first one of an application is the default.
 *
 * `files`: it takes files. `model` is the one that it names, empty if it asks the model of the server.
 */
export interface AgentDocument {
  name: string;
  description: string;
  files: boolean;
  model: string;
}

/** How a client interprets a payload that answers a question. */
export interface Answer {
  approved?: boolean;
  reason?: string;
  arguments?: Record<string, unknown>;
  result?: string;
}

/**
 * The application with its agents, its views of objects, and examples of what it can be asked for.
 *
 * `permissions` are those that Remit or the application has words for; tools may require others. `targets` are those
 * that the person can choose, the default one first; empty if there is nothing to choose.
 */
export interface ApplicationDocument {
  name: string;
  agents: AgentDocument[];
  views: ViewDocument[];
  permissions: PermissionDocument[];
  examples: ExampleDocument[];
  targets: string[];
}

/**
 * A call and the calls below it. `call` is empty until the call is recorded.
 *
 * `by` is the agent or tool that makes it, empty for the run's own call. `attempt` is the number of its attempts, and
 * `content` the reply to its caller.
 */
export interface CallDocument {
  call: string;
  parent: string;
  tool: string;
  sentence: SentenceDocument;
  state: "asked" | "denied" | "done" | "failed" | "running" | "unknown";
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
  changed: ChangedDocument[];
  calls: CallDocument[];
}

/**
 * The outcome of a call. `result` is null until it has ended, and if it has failed.
 *
 * A call that waits goes on when its `questions` are decided; send the request again with the same key, or read its
 * run. `error` and `code` say why it has failed.
 */
export interface CallOutcome {
  run: string;
  status: "cancelled" | "done" | "failed" | "open" | "queued" | "running" | "scheduled" | "stalled" | "waiting";
  questions: string[];
  reason: string;
  error: string;
  code: string;
  result: unknown;
}

/** What the permissions allow for every target. They may allow more for some targets. */
export interface Can {
  decide: boolean;
  readAll: boolean;
  cancelAll: boolean;
  loosen: boolean;
  manageConversations: boolean;
  managePeople: boolean;
}

/** One row of what would change: where, and the value before and after. */
export interface ChangeDocument {
  where: string;
  before: string;
  after: string;
}

/** An object that a call changed. Empty `fields` are all of them. */
export interface ChangedDocument {
  kind: string;
  id: string;
  name: string;
  fields: string[];
  revision: string;
}

/**
 * A model to choose: its name, such as `openai:gpt-5-mini`, or `rehearsal`.
 *
 * `key` is the API key, or the variable in which the provider expects it: `env:OPENAI_API_KEY`. `address` is that of
 * another OpenAI-compatible endpoint, such as `https://openrouter.ai/api/v1`; it takes no variable.
 */
export interface ChooseModel {
  name: string;
  key?: string;
  address?: string;
}

/** The first step in which two runs differ, after `same` equal ones. Null where a run has no such step. */
export interface ComparisonDocument {
  identical: boolean;
  same: number;
  a: StepDocument | null;
  b: StepDocument | null;
}

/** A conversation. `status` is that of its newest run, and `active` when it was last continued. */
export interface ConversationDocument {
  conversation: string;
  title: string;
  owner: string;
  target: string;
  status: "cancelled" | "done" | "failed" | "open" | "queued" | "running" | "scheduled" | "stalled" | "waiting";
  opened: number;
  active: number;
  shares: ShareDocument[];
}

/** A file of a conversation. `by` is the person who gave it, or the tool whose `call` returned it. */
export interface ConversationFileDocument {
  file: FileDocument;
  by: string;
  run: string;
  call: string;
  at: number;
}

/** A conversation with its runs, oldest first. Read a run for its messages and calls. */
export interface ConversationHistory {
  conversation: ConversationDocument;
  runs: RunRowDocument[];
}

/** The question after the decision, and the run that goes on: its own, or one that the decision opened. */
export interface DecidedDocument {
  question: QuestionDocument;
  run: string;
}

/** A decision on a question. `arguments` are edited ones, and `grant` the grant that answered. */
export interface DecisionDocument {
  approved: boolean;
  by: string;
  kind: "approve" | "confirm";
  at: number;
  reason: string;
  arguments: string;
  grant: string;
}

/** The request was carried out. */
export interface Done {
  done: boolean;
}

/** How a started call without a recorded end may be recovered. */
export type Effect = "composed" | "idempotent" | "keyed" | "pure" | "unsafe";

/** Something to ask the first agent for, and what comes of it. */
export interface ExampleDocument {
  prompt: string;
  note: string;
}

/** The first failure of a run: of a call of `tool`, or of a request to a model if `tool` is empty. */
export interface FailureDocument {
  call: string;
  tool: string;
  at: number;
  code: string;
  message: string;
}

/** The weights to fetch, by their name in the document of the model. */
export interface FetchWeights {
  name: string;
}

/** The reference of a file. */
export interface FileDocument {
  digest: string;
  size: number;
  name: string;
  mediaType: string;
}

/** A role to give to a person. */
export interface GivenRole {
  role: string;
}

/**
 * Approval given in advance: for how many calls of which tool, by which principal, until when.
 *
 * `arguments` is the pattern that the arguments of a call must match, as JSON.
 */
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

/** The path of a page that signs its person in once, within fifteen minutes. It is not shown again. */
export interface LinkDocument {
  path: string;
}

/** A new token with its secret, which is not kept and not shown again. */
export interface MadeToken {
  token: TokenDocument;
  secret: string;
}

/** The decisions that the reader can make on a question now. `kind` is the kind of such a decision. */
export interface MayDecide {
  approve: boolean;
  deny: boolean;
  edit: boolean;
  kind: "approve" | "confirm";
}

/**
 * The signed-in person. Unsafe requests with a session cookie carry `csrf` in the header `X-CSRF-Token`.
 *
 * `account`: this server keeps their password, sessions and tokens. What is read after this document, and followed with
 * `/api/watch` from `place` on, misses no change.
 */
export interface Me {
  name: string;
  tenant: string;
  roles: string[];
  permissions: string[];
  can: Can;
  application: ApplicationDocument;
  account: boolean;
  place: string;
  csrf: string;
}

/** A message of an agent; `agent` is the id of the agent's call, and `calls` are those that it requests. */
export interface MessageDocument {
  agent: string;
  role: string;
  by: "caller" | "found_tools" | "instructions" | "loop" | "memory" | "model" | "person" | "run_instructions";
  text: string;
  at: number;
  given: boolean;
  calls: string[];
}

/**
 * The model in use. `problem` says why it cannot be used; empty if it can, as far as that is known.
 *
 * `source` says who has chosen it, `key_source` where its key is: `env:NAME`, "kept on the server", or empty.
 * `may_choose`: the person may choose another one, and `fixed` is empty; it says why the choice is fixed.
 */
export interface ModelDocument {
  name: string;
  description: string;
  source: "application" | "chosen" | "environment" | "none" | "rehearsal" | "weights";
  isScript: boolean;
  problem: string;
  keySource: string;
  address: string;
  mayChoose: boolean;
  fixed: string;
  hasRehearsal: boolean;
  weights: WeightsDocument[];
}

/** A call of a tool with arguments by name. */
export interface NewCall {
  arguments?: Record<string, unknown>;
  conversation?: string;
  target?: string;
}

/**
 * A decision. Only `true` approves.
 *
 * `arguments` replace those of the call. `result` is that of a call of which a person says that it has happened. `kind`
 * is by default the one of `MayDecide`.
 */
export interface NewDecision {
  approved: boolean;
  kind?: "approve" | "confirm" | null;
  reason?: string;
  arguments?: Record<string, unknown>;
  result?: string;
}

/** A grant of `count` calls of a principal within `expiresIn` seconds. `arguments` is their pattern. */
export interface NewGrant {
  tool: string;
  principal: string;
  count: number;
  expiresIn: number;
  arguments?: Record<string, unknown>;
  reason?: string;
  target?: string;
  permission?: string;
}

/** A person of one's own tenant, who can sign in once they have a link or a password. */
export interface NewPerson {
  name: string;
  roles?: string[];
}

/** A role; one of that name is replaced. */
export interface NewRole {
  name: string;
  permissions: string[];
}

/**
 * A message to an agent. Without `agent` it goes to the default one.
 *
 * `files` are references, as they were given. `whenBusy` says what happens in a conversation that is busy.
 */
export interface NewRun {
  prompt: string;
  agent?: string;
  conversation?: string;
  target?: string;
  files?: FileDocument[];
  whenBusy?: "queue" | "refuse";
}

/** A call at a time with a time zone, and again by a recurrence rule of RFC 5545 if `every` has one. */
export interface NewSchedule {
  tool: string;
  at: string;
  arguments?: Record<string, unknown>;
  every?: string;
  missed?: "all" | "once" | "skip";
  conversation?: string;
  target?: string;
}

/** A token for a program, with some of the permissions of its person. */
export interface NewToken {
  label: string;
  permissions?: string[];
  days?: number;
}

/** A note that a tool wrote, with its data as JSON. */
export interface NoteDocument {
  name: string;
  data: string;
  at: number;
}

/**
 * Something that the person can do with an object: a call of a tool, governed like every other.
 *
 * `destructive`: it takes something away.
 */
export interface ObjectActionDocument {
  label: string;
  tool: string;
  arguments: Record<string, unknown>;
  destructive: boolean;
}

/**
 * An object. Of the `actions` the most likely one is the last; `blocked` says why there is not the main one.
 *
 * `isPast`: its changes have been made.
 */
export interface ObjectDocument {
  name: string;
  note: string;
  pages: ObjectPageDocument[];
  sections: ObjectSectionDocument[];
  changes: ChangeDocument[];
  actions: ObjectActionDocument[];
  files: FileDocument[];
  blocked: string;
  isPast: boolean;
}

/** Something that happens to an object at a time; `label` says in a word what. `isOver`: nothing more comes. */
export interface ObjectEventDocument {
  id: string;
  name: string;
  at: number;
  label: string;
  note: string;
  needsPerson: boolean;
  isOver: boolean;
}

/** A page that shows an object: addresses on this server, each empty if there is no such page. */
export interface ObjectPageDocument {
  title: string;
  before: string;
  after: string;
  note: string;
}

/** An object in a list. Rows with the same `group` are neighbours. */
export interface ObjectRowDocument {
  id: string;
  name: string;
  note: string;
  group: string;
  needsPerson: boolean;
  at: number;
}

/** A part of an object under a heading: text, a table, or both. */
export interface ObjectSectionDocument {
  title: string;
  text: string;
  columns: string[];
  rows: string[][];
}

/** The id of a run that was opened. */
export interface OpenedRun {
  run: string;
}

/** A permission, and what its holder may do: "see runs of others". */
export interface PermissionDocument {
  name: string;
  meaning: string;
}

/** A person. `configured`: of `config.toml`, where they are changed. `password`: they can sign in by one. */
export interface PersonDocument {
  name: string;
  roles: string[];
  configured: boolean;
  password: boolean;
}

/** A call that is approved together with the call of a question. */
export interface PlannedCallDocument {
  call: string;
  tool: string;
  sentence: SentenceDocument;
  summary: string;
  rows: ChangeDocument[];
  arguments: string;
}

/** The rules in order; the first that applies decides. `layers` are around every call, outermost first. */
export interface PolicyDocument {
  version: string;
  rules: RuleDocument[];
  layers: string;
}

/** Why a request was refused. `code` is stable; see the reference of errors. */
export interface Problem {
  error: string;
  code: string;
}

/**
 * A question about one call, and what the reader may do with it.
 *
 * `about`: whether to make a call, or whether an interrupted call happened. `sentence` and `consequence` say what would
 * happen and what follows, as the person was asked. `needs` is the kind of decision that the call requires, `why` the
 * reason that the policy gives, `again` why an earlier answer does not count, and `permissions` what a decision needs;
 * `fourEyes`: another person must decide. `link` and `shows` show the effect: an address for everybody who has it, and
 * an object. `quote` is the message that led to the call, and `news` are the arguments that differ from the asker's
 * last approved call of this kind. `arguments` are the exact ones, as canonical JSON, and `digest` is that of the call.
 */
export interface QuestionDocument {
  id: string;
  status: "approved" | "cancelled" | "closed" | "denied" | "erased" | "expired" | "open" | "taken";
  about: "approval" | "outcome";
  needs: "approve" | "confirm";
  sentence: SentenceDocument;
  consequence: string;
  summary: string;
  why: string;
  rule: string;
  risk: string;
  quote: string;
  rows: ChangeDocument[];
  news: ChangeDocument[];
  link: string;
  shows: ShownObjectDocument | null;
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
  fourEyes: boolean;
  waits: boolean;
  edits: string;
  replaces: string;
  may: MayDecide;
  decision: DecisionDocument | null;
  again: RepeatReasonDocument | null;
}

/** What a run has changed, according to the journal. */
export interface ReceiptDocument {
  changed: ReceiptLine[];
  failed: ReceiptLine[];
  unknown: ReceiptLine[];
  notMade: ReceiptLine[];
  erased: ReceiptLine[];
}

/**
 * A call on a receipt, with the objects that it changed, and why it failed or was not made.
 *
 * `undo` is the call that undoes it, if its tool declares one.
 */
export interface ReceiptLine {
  call: string;
  tool: string;
  sentence: SentenceDocument;
  objects: ChangedDocument[];
  described: string[];
  error: string;
  undo: UndoDocument | null;
}

/** An object that an agent remembers. `link` is the address at which people see it, empty for none. */
export interface RememberedDocument {
  kind: string;
  id: string;
  name: string;
  link: string;
}

/** A new title; an empty one restores the beginning of the first message. */
export interface Renaming {
  title: string;
}

/** Why the same call is asked about again. `reason` completes the sentence "asked again, because". */
export interface RepeatReasonDocument {
  kind: "arguments" | "authority" | "definition" | "did_not_happen" | "policy" | "risk" | "state" | "used";
  reason: string;
}

/** Whether today's code reproduces a run to the byte, or the first difference. */
export interface ReplayDocument {
  run: string;
  identical: boolean;
  compared: number;
  difference: string;
}

/** The answer to one question. Only a payload with `approved: true` approves. */
export interface ResumeEntry {
  interruptId: string;
  status: "cancelled" | "resolved";
  payload?: Answer | null;
}

/** How much harm a mistaken call can do. */
export type Risk = "high" | "moderate" | "safe";

/** A role and its permissions. `configured`: of `config.toml`, where it is changed. */
export interface RoleDocument {
  name: string;
  permissions: string[];
  configured: boolean;
}

/**
 * A rule: its name, what it says of itself, and the strictest that it can do.
 *
 * `tools` are those whose calls it is about, sorted; empty if it looks at all calls. `permission` is the one of those
 * who decide, if a rule of the application asks.
 */
export interface RuleDocument {
  name: string;
  tools: string[];
  meaning: string;
  verdict: string;
  permission: string;
}

/**
 * A run. `text` is the result of an ended run, `reason` why it rests, `retryAt` when it continues.
 *
 * `continuedAt` is when it was last continued after its process had ended in the middle of it; 0 for never.
 */
export interface RunDocument {
  run: string;
  status: "cancelled" | "done" | "failed" | "open" | "queued" | "running" | "scheduled" | "stalled" | "waiting";
  principal: string;
  agent: string;
  conversation: string;
  target: string;
  opened: number;
  ended: number;
  title: string;
  text: string;
  error: string;
  reason: string;
  retryAt: number;
  continuedAt: number;
  root: CallDocument | null;
  messages: MessageDocument[];
  questions: QuestionDocument[];
  receipt: ReceiptDocument;
  usage: UsageDocument;
  failure: FailureDocument | null;
}

/** A request of AG-UI. `messages` but the last one, `state`, `tools` and `context` are ignored. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages?: Record<string, unknown>[];
  resume?: ResumeEntry[] | null;
}

/** The row of a run. */
export interface RunRowDocument {
  run: string;
  status: "cancelled" | "done" | "failed" | "open" | "queued" | "running" | "scheduled" | "stalled" | "waiting";
  principal: string;
  agent: string;
  conversation: string;
  target: string;
  opened: number;
  ended: number;
}

/**
 * A run in a list, with what it is about, what it has done, and why it failed.
 *
 * `worked` and `waited` are the seconds with and without an executor. A resting run continues at `due`.
 */
export interface RunSummary {
  run: string;
  status: "cancelled" | "done" | "failed" | "open" | "queued" | "running" | "scheduled" | "stalled" | "waiting";
  principal: string;
  agent: string;
  conversation: string;
  target: string;
  opened: number;
  ended: number;
  title: string;
  calls: number;
  openQuestions: number;
  usage: UsageDocument;
  worked: number;
  waited: number;
  due: number;
  failure: FailureDocument | null;
}

/** A sentence for people. `parts` are its pieces; true marks a name, which displays emphasize. */
export interface SentenceDocument {
  text: string;
  parts: [string, boolean][];
}

/** A principal with whom a conversation is shared, or `*` for everyone of the tenant. */
export interface ShareDocument {
  principal: string;
  access: string;
}

/** With whom to share; `*` is everyone of the tenant. Without access, the sharing ends. */
export interface Sharing {
  principal: string;
  access?: "" | "read" | "write";
}

/** An object that a view of the application shows, and that `/api/views/{kind}/{id}` opens. */
export interface ShownObjectDocument {
  kind: string;
  id: string;
}

/** A message, or a call with its reply. */
export interface StepDocument {
  kind: string;
  name: string;
  text: string;
  content: string;
}

/** An API token, without its secret. `seen` is about the time of its last use, 0 for never. */
export interface TokenDocument {
  id: string;
  label: string;
  permissions: string[];
  created: number;
  seen: number;
  expires: number;
}

/**
 * A tool that one may call: what models read of it, its facts, and what is said of its calls.
 *
 * `digest` changes with the definition to which approvals are bound. `sentence` is that of a call without arguments,
 * and `consequence` what follows from a call.
 */
export interface ToolDocument {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  result: Record<string, unknown>;
  digest: string;
  effect: Effect;
  risk: Risk;
  permissions: string[];
  egress: boolean;
  declared: boolean;
  tags: string[];
  timeout: number | null;
  confirm: string | null;
  sentence: SentenceDocument;
  consequence: string;
}

/** The call that undoes a call: a tool and its arguments. */
export interface UndoDocument {
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * Requests to models, their tokens, and the cost in US dollars; null if the price of a model is unknown.
 *
 * `scriptedRequests` of them were answered by a script, and `scriptedTokens` of the tokens are theirs: no model has
 * used these.
 */
export interface UsageDocument {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  scriptedRequests: number;
  scriptedTokens: number;
  cost: number | null;
}

/**
 * How the objects of a kind are shown; see `remit.app.App`.
 *
 * `listed`: they have a list. `hasEvents`: they have a calendar.
 */
export interface ViewDocument {
  kind: string;
  title: string;
  listed: boolean;
  hasChanges: boolean;
  hasEvents: boolean;
}

/** Weights of a local model: their size and how much is here, in bytes, and why a fetch failed. */
export interface WeightsDocument {
  name: string;
  description: string;
  size: number;
  done: number;
  state: "absent" | "failed" | "fetching" | "here" | "stopped";
  problem: string;
}
