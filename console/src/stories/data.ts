import type { JsonSchema } from "../parts/schema";
import type {
  ConversationFileDocument,
  PersonDocument,
  RoleDocument,
  TokenDocument,
  RememberedDocument,
  ConversationHistory,
  GrantDocument,
  Me,
  ModelDocument,
  PolicyDocument,
  RunRowDocument,
  ToolDocument,
  UsageDocument,
} from "../wire";
import { NOW, say, usage } from "./build";

export const ME: Me = {
  name: "Ada",
  tenant: "bakery",
  roles: ["owner"],
  permissions: ["*"],
  can: { decide: true, readAll: true, cancelAll: true, loosen: true, manageConversations: true, managePeople: true },
  csrf: "token",
  account: true,
  place: "",
  application: {
    name: "bakery",
    targets: [],
    permissions: [
      { name: "*", meaning: "everything" },
      { name: "approvals:decide", meaning: "answer questions of others" },
      { name: "runs:read", meaning: "see runs of others" },
      { name: "people:manage", meaning: "manage people and roles" },
      { name: "site:publish", meaning: "publish pages" },
    ],
    examples: [
      { prompt: "Close early on 24 December", note: "Edits a page in two languages" },
      { prompt: "Which pages name a price?", note: "Reads only" },
      { prompt: "Publish the winter cakes", note: "Asks you before visitors see it" },
      { prompt: "Delete the page Old prices", note: "Asks you; try to say no" },
    ],
    agents: [
      {
        name: "editor",
        description: "Edits the pages of the bakery.",
        files: true,
        model: "",
      },
      {
        name: "investigator",
        description: "Reads mails and files.",
        files: false,
        model: "anthropic:claude-sonnet-5-5",
      },
    ],
    views: [
      { kind: "set", title: "Changes", listed: true, hasChanges: true, hasEvents: false },
      { kind: "page", title: "Pages", listed: true, hasChanges: false, hasEvents: false },
      { kind: "post", title: "Posts", listed: true, hasChanges: false, hasEvents: false },
      { kind: "plan", title: "Calendar", listed: true, hasChanges: false, hasEvents: true },
      { kind: "effect", title: "Previews", listed: false, hasChanges: false, hasEvents: false },
    ],
  },
};

export const MODEL: ModelDocument = {
  name: "openai:gpt-5-mini",
  description: "openai:gpt-5-mini",
  source: "chosen",
  isScript: false,
  problem: "",
  keySource: "kept on the server",
  address: "",
  mayChoose: true,
  fixed: "",
  hasRehearsal: true,
  weights: [
    {
      name: "base",
      description: "Qwen2.5-Coder 1.5B Instruct, 4 bits: slower than small, and right more often",
      size: 1_117_320_768,
      done: 0,
      state: "absent",
      problem: "",
    },
  ],
};

/** As on a new machine: nothing answers. */
export const NO_MODEL: ModelDocument = {
  ...MODEL,
  name: "",
  description: "no model",
  source: "none",
  problem: "no model is chosen; choose one in the console under Settings, Model, or set REMIT_MODEL",
  keySource: "",
};

function talk(
  conversation: string,
  title: string,
  seconds: number,
  runs: string[],
  owner = "Ada",
): ConversationHistory {
  const at = NOW - seconds;
  const rows = runs.map((run): RunRowDocument => ({
    run,
    status: run === "r3" ? "running" : "done",
    principal: owner,
    agent: "editor",
    conversation,
    target: "",
    opened: at,
    ended: NOW,
  }));
  const shares = owner === "Ada" ? [] : [{ principal: "Ada", access: "read" }];
  return {
    conversation: {
      conversation,
      title,
      owner,
      target: "",
      status: rows.at(-1)!.status,
      opened: at,
      active: at,
      shares,
    },
    runs: rows,
  };
}

export const CONVERSATIONS: ConversationHistory[] = [
  talk("c7", "Stollen, still true?", 8, ["r1", "r3"]),
  talk("c1", "Christmas hours", 360, ["r1", "r2"]),
  talk("c2", "Prices of the winter cakes", 7200, ["r4"]),
  talk("c9", "Bread prices", 2 * 86_400, ["r5"]),
  talk("c8", "A page for the new course", 3 * 86_400, ["r12"], "Marta Amsel"),
];

function tool(
  name: string,
  sentence: string,
  description: string,
  facts: Partial<ToolDocument>,
  parameters: JsonSchema,
): ToolDocument {
  return {
    name,
    description,
    parameters: { ...parameters },
    result: { type: "object" },
    digest: `sha256:${name.length}f0a9c2e7`,
    effect: "keyed",
    risk: "moderate",
    permissions: ["site:write"],
    egress: false,
    declared: true,
    tags: [],
    timeout: 30,
    confirm: null,
    sentence: say(sentence),
    consequence: "",
    ...facts,
  };
}

const PAGE: JsonSchema = {
  type: "object",
  properties: { page: { type: "string", description: "Its title, address or id.", maxLength: 200 } },
  required: ["page"],
};
const NOTHING: JsonSchema = { type: "object", properties: {} };
const READS: Partial<ToolDocument> = { effect: "pure", risk: "safe", permissions: [] };

export const TOOLS: ToolDocument[] = [
  tool(
    "publish_set",
    "Publish a change set",
    "Publish all edits of a change set, so that visitors see them. The approver is shown each difference first.",
    { risk: "high", permissions: ["site:publish"], consequence: "Visitors see it at once. It can be taken back." },
    {
      type: "object",
      properties: {
        set: { type: "string", description: "The set to publish: its name or id." },
        at: { type: "string", format: "date-time", description: "When; at once if left out." },
      },
      required: ["set"],
    },
  ),
  tool(
    "delete_page",
    "Delete a page",
    "Move a page to the trash.",
    { risk: "high", confirm: "confirmed" },
    {
      type: "object",
      properties: { ...PAGE.properties, confirmed: { type: "boolean", description: "Whether the person has agreed." } },
      required: ["page"],
    },
  ),
  tool(
    "delete_image",
    "Delete an image",
    "Delete an image for good.",
    { risk: "high", effect: "idempotent" },
    { type: "object", properties: { image: { type: "string" } }, required: ["image"] },
  ),
  tool(
    "create_post",
    "Create a post",
    "Draft a post of the journal.",
    {},
    {
      type: "object",
      properties: { title: { type: "string", maxLength: 120 }, text: { type: "string", maxLength: 20_000 } },
      required: ["title", "text"],
    },
  ),
  tool(
    "update_page",
    "Update a page",
    "Change a section of a page, as a draft.",
    {},
    {
      type: "object",
      properties: { ...PAGE.properties, section: { type: "object", properties: { heading: { type: "string" } } } },
      required: ["page"],
    },
  ),
  tool("get_page", "Read a page", "Read a page with its sections.", READS, PAGE),
  tool("list_pages", "List pages", "List pages.", READS, {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 100, description: "How many." } },
  }),
  tool("list_posts", "List posts", "List posts.", READS, NOTHING),
  tool("list_languages", "List languages", "List languages.", READS, NOTHING),
  tool(
    "mail_sendMail",
    "Send a mail",
    "Send a mail to one person of the address book.",
    { effect: "unsafe", risk: "high", egress: true, permissions: ["mail:send"] },
    {
      type: "object",
      properties: {
        to: { type: "string", format: "email" },
        subject: { type: "string", maxLength: 200 },
        text: { type: "string", maxLength: 20_000 },
      },
      required: ["to", "subject", "text"],
    },
  ),
  tool("mail_searchMail", "Search mail", "Search mail.", READS, {
    type: "object",
    properties: { words: { type: "string" } },
    required: ["words"],
  }),
];

export const POLICY: PolicyDocument = {
  version: "9c41f2",
  rules: [
    {
      name: "changes what visitors see",
      tools: [],
      verdict: "asks for an approval",
      permission: "",
      meaning: "Publishing, hiding and scheduling ask a person with the right to decide.",
    },
    {
      name: "deletes for good",
      tools: [],
      verdict: "asks for an approval",
      permission: "",
      meaning: "A call that cannot be taken back asks, each by itself.",
    },
    {
      name: "sends data out",
      tools: [],
      verdict: "asks for another person",
      permission: "site:publish",
      meaning: "Mails and requests to other hosts ask another person than the one who asked.",
    },
    {
      name: "one mail, one person",
      tools: ["mail_sendMail"],
      verdict: "blocks",
      permission: "",
      meaning: "A mail with more than one recipient is not sent.",
    },
    {
      name: "undeclared",
      tools: [],
      verdict: "asks for an approval",
      permission: "",
      meaning: "A tool that declares neither effect nor risk asks.",
    },
  ],
  layers:
    "Runtime bakery\nENTRY  Trace(provider=None) · Record() · ToolScope()\nRUN    Authorize() · Validate(strict=True) · Budget(calls=256) · Approve(max_questions=20)\nAGENT  -\nTOOL   -\nBASE   seal · effect · pay · check · end",
};

function grant(id: string, tool: string, rest: Partial<GrantDocument>): GrantDocument {
  const blank = {
    arguments: "{}",
    principal: "Ada",
    by: "Ada",
    given: NOW - 3600,
    expires: NOW + 20_000,
    count: 10,
    used: 3,
    reason: "",
    revokedBy: "",
    permission: "approvals:decide",
    target: "",
  };
  return { id, tool, ...blank, ...rest };
}

export const GRANTS: GrantDocument[] = [
  grant("g1", "update_page", { principal: "Yusuf" }),
  grant("g2", "create_post", {
    arguments: '{"language": "de"}',
    by: "Marta Amsel",
    given: NOW - 86_400,
    expires: NOW + 86_400 * 5,
    count: 5,
    used: 5,
    reason: "Advent calendar",
  }),
  grant("g3", "delete_image", { revokedBy: "Ada" }),
];

function file(name: string, mediaType: string, size: number, by: string, seconds: number): ConversationFileDocument {
  const digest = `sha256:${name.length.toString(16).padStart(64, "0")}`;
  return { file: { digest, name, mediaType, size }, by, run: "r1", call: by === "Ada" ? "" : "a1", at: NOW - seconds };
}

export const FILES: ConversationFileDocument[] = [
  file("opening-hours.pdf", "application/pdf", 182_400, "make_leaflet", 500),
  file("shop-window.jpg", "image/jpeg", 2_400_000, "Ada", 620),
];

export const PEOPLE: PersonDocument[] = [
  { name: "Ada", roles: ["owner"], configured: true, password: false },
  { name: "Marta Amsel", roles: ["editor", "publisher"], configured: false, password: true },
  { name: "Yusuf Demir", roles: ["editor"], configured: false, password: false },
];

export const ROLES: RoleDocument[] = [
  { name: "editor", permissions: ["site:read", "site:write"], configured: false },
  { name: "owner", permissions: ["*"], configured: true },
  { name: "publisher", permissions: ["approvals:decide", "site:publish"], configured: false },
];

export const TOKENS: TokenDocument[] = [
  token("t1", "Till", ["runs:read"], NOW - 240),
  token("t2", "Newsletter", ["site:read"], 0),
];

function token(id: string, label: string, permissions: string[], seen: number): TokenDocument {
  return { id, label, permissions, created: NOW - 86_400, seen, expires: NOW + 2_592_000 };
}

export const MEMORY: RememberedDocument[] = [
  { kind: "page", id: "visit-us", name: "Visit us", link: "" },
  { kind: "post", id: "rest", name: "We rest, the starter does not", link: "" },
  { kind: "language", id: "de", name: "German", link: "" },
];

export const USAGE: UsageDocument = usage(412_000, 9.52);
