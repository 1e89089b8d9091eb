import type {
  ConversationDocument,
  GrantDocument,
  Me,
  PolicyDocument,
  ScheduleDocument,
  ToolDocument,
  UsageReport,
} from "../wire";
import { NOW, say, usage } from "./build";

export const ME: Me = {
  name: "Ada",
  tenant: "bakery",
  roles: ["owner"],
  permissions: ["*"],
  can: { decide: true, readAll: true, cancelAll: true, loosen: true, manageConversations: true },
  csrf: "token",
  target: "bakery/main",
  application: {
    name: "bakery",
    question: "What should change at Amsel Bakery?",
    note: "The editor writes drafts. Publishing, hiding and deleting ask a person.",
    agents: [
      {
        name: "editor",
        description: "Edits the pages of the bakery.",
        model: "openai:gpt-5-mini",
        examples: [
          { prompt: "Close early on 24 December", note: "Edits a page in two languages" },
          { prompt: "Which pages name a price?", note: "Reads only" },
          { prompt: "Publish the winter cakes", note: "Asks you before visitors see it" },
          { prompt: "Delete the page Old prices", note: "Asks you; try to say no" },
        ],
      },
      { name: "investigator", description: "Reads mails and files." },
    ],
    views: [
      { kind: "set", title: "Changes", hasList: true, hasChanges: true },
      { kind: "page", title: "Pages", hasList: true, hasChanges: false },
      { kind: "post", title: "Posts", hasList: true, hasChanges: false },
    ],
  },
};

function talk(id: string, title: string, seconds: number, runs: string[]): ConversationDocument {
  const rows = runs.map((run) => ({
    run,
    status: run === "r3" ? ("running" as const) : ("done" as const),
    principal: "Ada",
    agent: "editor",
    conversation: id,
    target: "",
    opened: NOW - seconds,
    ended: NOW,
  }));
  return { id, title, owner: "Ada", agent: "editor", updated: NOW - seconds, access: "owner", runs: rows };
}

export const CONVERSATIONS: ConversationDocument[] = [
  talk("c7", "Stollen, still true?", 8, ["r1", "r3"]),
  talk("c1", "Christmas hours", 360, ["r1", "r2"]),
  talk("c2", "Prices of the winter cakes", 7200, ["r4"]),
  talk("c9", "Bread prices", 2 * 86_400, ["r5"]),
  { ...talk("c8", "A page for the new course", 3 * 86_400, ["r12"]), owner: "Marta Amsel", access: "read" },
];

function tool(
  name: string,
  title: string,
  description: string,
  group: string,
  facts: Partial<ToolDocument["facts"]>,
  parameters: ToolDocument["parameters"],
): ToolDocument {
  return {
    name,
    title,
    description,
    group,
    parameters,
    result: { type: "object" },
    digest: `sha256:${name.length}f0a9c2e7`,
    facts: {
      effect: "keyed",
      risk: "moderate",
      permissions: ["site:write"],
      egress: false,
      untrustedOutput: false,
      ...facts,
    },
    layers: ["authorize", "validate", "budget", "approve"],
    agents: ["editor"],
  };
}

const PAGE = {
  type: "object",
  properties: { page: { type: "string", description: "Its title, address or id.", maxLength: 200 } },
  required: ["page"],
};

export const TOOLS: ToolDocument[] = [
  tool(
    "publish_set",
    "Publish a change set",
    "Publish all edits of a change set, so that visitors see them. The approver is shown each difference first.",
    "Site",
    { risk: "high", permissions: ["site:publish"] },
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
    "Site",
    { risk: "high", permissions: ["site:delete"] },
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
    "Site",
    { risk: "high", effect: "idempotent" },
    { type: "object", properties: { image: { type: "string" } }, required: ["image"] },
  ),
  tool(
    "create_post",
    "Create a post",
    "Draft a post of the journal.",
    "Site",
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
    "Site",
    {},
    {
      type: "object",
      properties: { ...PAGE.properties, section: { type: "object", properties: { heading: { type: "string" } } } },
      required: ["page"],
    },
  ),
  tool(
    "get_page",
    "Read a page",
    "Read a page with its sections.",
    "Site",
    { effect: "pure", risk: "safe", permissions: [] },
    PAGE,
  ),
  tool(
    "list_pages",
    "List pages",
    "List pages.",
    "Site",
    { effect: "pure", risk: "safe", permissions: [] },
    { type: "object", properties: { limit: { type: "integer", minimum: 1, maximum: 100, description: "How many." } } },
  ),
  tool(
    "list_posts",
    "List posts",
    "List posts.",
    "Site",
    { effect: "pure", risk: "safe", permissions: [] },
    { type: "object", properties: {} },
  ),
  tool(
    "list_languages",
    "List languages",
    "List languages.",
    "Site",
    { effect: "pure", risk: "safe", permissions: [] },
    { type: "object", properties: {} },
  ),
  tool(
    "send_mail",
    "Send a mail",
    "Send a mail to one person of the address book.",
    "Mail",
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
  tool(
    "search_mail",
    "Search mail",
    "Search mail.",
    "Mail",
    { effect: "pure", risk: "safe", untrustedOutput: true },
    { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  ),
];

export const POLICY: PolicyDocument = {
  version: "9c41f2",
  rules: [
    {
      name: "Changes what visitors see",
      verdict: "asks",
      text: "Publishing, hiding and scheduling ask a person with the right to decide.",
      permission: "approvals:decide",
    },
    {
      name: "Deletes for good",
      verdict: "asks",
      text: "A call that cannot be taken back asks, each by itself.",
      permission: "approvals:decide",
    },
    {
      name: "Sends data out",
      verdict: "asks",
      text: "Mails and requests to other hosts ask another person than the one who asked.",
      permission: "approvals:decide",
      fourEyes: true,
    },
    {
      name: "One mail, one person",
      verdict: "blocks",
      text: "A mail with more than one recipient is not sent.",
      permission: "",
    },
    {
      name: "Undeclared",
      verdict: "asks",
      text: "A tool that declares neither effect nor risk asks.",
      permission: "approvals:decide",
    },
  ],
  layers: [
    { scope: "Entry", layers: ["Trace", "Record", "ToolScope"] },
    {
      scope: "Run",
      layers: ["Authorize", "Validate (strict)", "Budget: 256 calls, depth 8", "Approve: at most 20 questions"],
    },
    { scope: "Base", layers: ["seal", "effect", "function", "check", "end"] },
  ],
};

export const GRANTS: GrantDocument[] = [
  {
    id: "g1",
    tool: "update_entry",
    sentence: say("Change the price of an *entry*"),
    arguments: "{}",
    principal: "Yusuf",
    target: "bakery/main",
    by: "Ada",
    given: NOW - 3600,
    expires: NOW + 20_000,
    count: 10,
    used: 3,
    reason: "",
  },
  {
    id: "g2",
    tool: "create_post",
    sentence: say("Create a *post*"),
    arguments: '{"language": "de"}',
    principal: "Ada",
    target: "bakery/main",
    by: "Marta Amsel",
    given: NOW - 86_400,
    expires: NOW + 86_400 * 5,
    count: 5,
    used: 5,
    reason: "Advent calendar",
  },
];

export const SCHEDULES: ScheduleDocument[] = [
  {
    id: "s1",
    title: "Delete images that nothing uses",
    agent: "tidy-up",
    every: "each day at 03:10",
    next: NOW + 9000,
    principal: "schedule",
  },
];

export const USAGE: UsageReport = {
  total: usage(412_000, 9.52),
  days: Array.from({ length: 27 }, (_, index) => ({
    day: `2026-11-${String(index + 1).padStart(2, "0")}`,
    cost: Math.abs(Math.sin(index * 1.7)) * 1.1,
    requests: 20 + index,
  })),
  people: [
    { principal: "Yusuf", runs: 84, calls: 1902, questions: 24, cost: 4.1 },
    { principal: "Ada", runs: 61, calls: 1410, questions: 21, cost: 3.22 },
    { principal: "Marta Amsel", runs: 29, calls: 870, questions: 9, cost: 1.71 },
    { principal: "schedule", runs: 30, calls: 630, questions: 7, cost: 0.49 },
  ],
};
