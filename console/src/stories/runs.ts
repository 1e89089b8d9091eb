import type { RunDocument } from "../wire";
import { call, line, log, NO_RECEIPT, NOW, object, run, say, timed, usage } from "./build";
import { CONFIRM, PUBLISH } from "./questions";

const R1_AT = NOW - 1500;
const HOURS = run("r1", {
  title:
    "We close at noon on 24 and 31 December and are away until 6 January. Put it on the visit page, write a short post for the journal, and both in German too.",
  calls: timed(R1_AT, [
    [call("a1", "get_page", "Read *Visit us*"), 0.6],
    [call("a2", "get_page", "Read *Order*"), 0.5, 0],
    [call("a3", "list_posts", "Read *Journal*"), 0.6, 0],
    [call("a4", "list_languages", "Read *languages*"), 0.4, 0],
    [
      call("a5", "update_page", "Added *Between the years* to Visit us", {
        changed: [object("page", "Visit us", ["sections"])],
        arguments: '{"page": "Visit us", "section": {"heading": "Between the years"}}',
        content: '{"success": true, "revision": 7}',
      }),
      0.8,
    ],
    [
      call("a6", "translate_page", "Translated it to German, *Zwischen den Jahren*", {
        changed: [object("page", "Visit us, German", ["sections"])],
      }),
      1.4,
    ],
    [
      call("a7", "create_post", "Drafted the post *We rest, the starter does not* in 2 languages", {
        changed: [object("post", "We rest, the starter does not")],
        notes: [
          log("info", "Found 3 places that link to Old prices"),
          log("warning", "The German title is longer than search engines show"),
        ],
      }),
      3.9,
    ],
  ]),
  answers: [
    ["", ["a1", "a2", "a3", "a4"]],
    ["", ["a5", "a6", "a7"]],
    [
      "Both languages are ready. Visitors still see the old page: I write drafts, and publishing is yours. The post ends with the sentence about the starter that Marta likes.",
      [],
    ],
  ],
  rest: {
    opened: R1_AT,
    usage: usage(9200, 0.05),
    receipt: {
      ...NO_RECEIPT,
      changed: [
        line("a5", "update_page", "Added *Between the years*", [object("page", "Visit us", ["sections"])], true),
        line("a6", "translate_page", "Translated", [object("page", "Visit us, German", ["sections"])], true),
        line("a7", "create_post", "Drafted", [object("post", "We rest, the starter does not")], true),
      ],
    },
  },
});

const WAITS = run("r2", {
  title: "Good. Put all of it live tonight.",
  calls: [
    ...timed(NOW - 370, [[call("c1", "compare_set", "Compared the drafts with what visitors see"), 0.4]]),
    call("p1", "publish_set", "Publish *Christmas hours*", {
      state: "asked",
      by: "person",
      questions: ["q1"],
      arguments: '{"set": "Christmas hours"}',
      content: "",
      askedAt: NOW - 360,
    }),
  ],
  answers: [["", ["c1", "p1"]]],
  rest: {
    opened: NOW - 375,
    ended: 0,
    status: "waiting",
    questions: [PUBLISH],
    usage: usage(2100, 0.01),
  },
});

const TRUTH = run("r3", {
  title: "And does the order page still tell the truth about stollen?",
  rest: { opened: NOW - 8, ended: 0, status: "running", conversation: "c7" },
});

const TRASH = run("r4", {
  title: "The old prices page can go, everything is on Cakes now.",
  calls: timed(NOW - 30, [[call("t1", "get_page", "Read *Old prices* and looked for links to it"), 0.7]]),
  answers: [["It has two sections and is linked from nowhere. Its address will lead visitors to Cakes.", ["t1"]]],
  rest: { opened: NOW - 32, ended: 0, status: "waiting", conversation: "c2", questions: [CONFIRM] },
});

const BREADS_AT = NOW - 2 * 86_400;
const ASKED = BREADS_AT + 27;
const BREADS = run("r5", {
  title: "Raise bread prices by 20 cents, everywhere they stand.",
  calls: [
    ...timed(BREADS_AT + 1, [
      [call("e1", "list_pages", "Read *6 pages* and *4 entries*"), 1.1, 2.4],
      [
        call("e2", "update_entries", "Changed the price of *8 breads*", {
          changed: [object("entry", "Country loaf", ["price"]), object("entry", "Dark rye", ["price"])],
        }),
        4.2,
        4.1,
      ],
      [
        call("e3", "update_page", "Changed the table on *Bread*", { changed: [object("page", "Bread", ["table"])] }),
        1.8,
        0,
      ],
      [
        call("e4", "translator", "Translated *9 texts*", {
          calls: timed(BREADS_AT + 17, [
            [call("n1", "write_texts", "Wrote *9 texts* in German", { parent: "e4", by: "translator" }), 2.6],
          ]),
        }),
        6.1,
        0.4,
      ],
    ]),
    {
      ...call("e5", "publish_set", "Published *Bread prices*: 1 page and 8 entries", {
        rules: ["high risk"],
        questions: ["q8"],
        arguments: '{"set": "Bread prices"}',
        changed: [object("set", "Bread prices")],
      }),
      askedAt: ASKED,
      startedAt: ASKED + 7440,
      endedAt: ASKED + 7440.9,
    },
    {
      ...call("e6", "view_pages", "Looked at the *live pages*"),
      askedAt: ASKED + 7442,
      startedAt: ASKED + 7442,
      endedAt: ASKED + 7443.5,
    },
  ],
  answers: [
    ["", ["e1"]],
    ["", ["e2", "e3", "e4"]],
    ["", ["e5"]],
    ["", ["e6"]],
    ["All bread prices are 20 cents higher, on the page and in the entries, in both languages.", []],
  ],
  rest: {
    opened: BREADS_AT,
    ended: ASKED + 7448,
    principal: "Yusuf",
    conversation: "c9",
    usage: usage(18_240, 0.14),
    questions: [
      {
        ...PUBLISH,
        id: "q8",
        sentence: say("Publish *Bread prices*: 1 page and 8 entries"),
        status: "taken",
        run: "r5",
        call: "e5",
        asker: "Yusuf",
        asked: ASKED,
        fourEyes: true,
        decision: {
          approved: true,
          by: "Marta Amsel",
          kind: "approve",
          at: ASKED + 7440,
          reason: "Saturday’s plait too, please.",
          arguments: "",
          grant: "",
        },
      },
    ],
    receipt: {
      ...NO_RECEIPT,
      changed: [
        line(
          "e2",
          "update_entries",
          "Changed",
          [object("entry", "Country loaf", ["price"]), object("entry", "Dark rye", ["price"])],
          true,
        ),
        line("e3", "update_page", "Changed", [object("page", "Bread", ["table"])]),
        line("e5", "publish_set", "Published", [object("set", "Bread prices")], true),
      ],
    },
  },
});

function simple(id: string, title: string, rest: Partial<RunDocument>): RunDocument {
  return run(id, { title, rest: { conversation: "", ...rest } });
}

const DAY = 86_400;
export const RUNS: RunDocument[] = [
  TRUTH,
  WAITS,
  TRASH,
  simple("r7", "Delete images that nothing uses", {
    principal: "schedule",
    agent: "tidy-up",
    status: "waiting",
    opened: NOW - 75_600,
    ended: 0,
    usage: usage(7000, 0.06),
  }),
  simple("r6", "Answer the mails of the morning", {
    principal: "Yusuf",
    agent: "post",
    status: "stalled",
    opened: NOW - 900,
    ended: 0,
    reason: "The mail server asks for a pause (429). Tried 3 times.",
    retryAt: NOW + 240,
    usage: usage(3900, 0.03),
  }),
  HOURS,
  simple("r10", "Send the stollen list to all customers", {
    principal: "Lena",
    agent: "post",
    status: "failed",
    opened: NOW - DAY,
    error: "One mail, one person: this had 214 recipients.",
    failure: {
      call: "x",
      tool: "send_mail",
      at: NOW - DAY,
      code: "POLICY_BLOCKED",
      message: "Blocked by “one mail, one person”: 214 recipients",
    },
  }),
  BREADS,
  simple("r11", "Find a photo of the old oven", {
    principal: "Ida",
    agent: "illustrator",
    status: "cancelled",
    opened: NOW - 3 * DAY,
    usage: usage(1200, 0.02),
  }),
  simple("r12", "Translate the allergens page", {
    principal: "Ida",
    opened: NOW - 3 * DAY - 900,
    usage: usage(1500, 0.02),
  }),
];
