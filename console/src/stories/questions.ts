import type { QuestionDocument } from "../wire";
import { NOW, question } from "./build";

const ROWS = [
  { where: "Visit us", before: "", after: "Between the years: 24 and 31 December until 12:00, closed until 6 January" },
  {
    where: "Visit us, German",
    before: "",
    after: "Zwischen den Jahren: 24. und 31. Dezember bis 12:00, zu bis 6. Januar",
  },
  { where: "Order", before: "Only stollen, in December.", after: "Only stollen, if ordered by 30 November." },
  { where: "Journal", before: "", after: "We rest, the starter does not" },
];

export const PUBLISH = question("q1", "Publish *Christmas hours*: visitors see 2 changed pages and a new post", {
  consequence: "Takes effect at once, in English and German. One step takes all of it back.",
  why: "it changes what visitors see",
  rule: "changes what visitors see",
  quote: "Good. Put all of it live tonight.",
  rows: ROWS,
  news: [ROWS[2]!],
});

export const CONFIRM = question("q2", "Move to trash the page *Old prices*", {
  needs: "confirm",
  summary: "Visitors who open /old-prices are led to Cakes. It stays in the trash until somebody empties it.",
  why: "",
  run: "r4",
  conversation: "c2",
  tool: "delete_page",
  arguments: '{"page": "Old prices", "confirmed": true}',
  expires: NOW + 3600,
  may: { approve: true, deny: true, edit: false, kind: "confirm" },
});

/** The confirmation again, because the state has changed. */
export const AGAIN: QuestionDocument = {
  ...CONFIRM,
  id: "q10",
  why: "delete_page asks for a confirmation",
  again: { kind: "state", reason: "the state has changed since it was approved" },
};

export const MAIL = question("q3", "Send a mail to *Hanna Reis*: Your order for the 24th", {
  rule: "sends data out",
  why: "it sends data out of the house",
  tool: "mail_sendMail",
  run: "r8",
  conversation: "c3",
  arguments: JSON.stringify({
    to: "hanna.reis@post.example",
    subject: "Your order for the 24th",
    text: "Dear Hanna, your order for the 24th is noted: two country loaves and a plait. You can collect it from seven.",
  }),
  expires: NOW + 3600,
});

export const MANY = question("q4", "Publish *Bread prices*: 1 page and 18 entries", {
  rows: Array.from({ length: 18 }, (_, index) => ({
    where: `Bread ${index + 1}`,
    before: `${(4 + index * 0.2).toFixed(2)} €`,
    after: `${(4.2 + index * 0.2).toFixed(2)} €`,
  })),
  asker: "Yusuf",
  conversation: "c9",
  run: "r5",
  expires: NOW + 21_600,
  quote: "Raise bread prices by 20 cents, everywhere they stand.",
});

export const OUTCOME = question("q5", "Send a mail to the *Seidel mill*", {
  about: "outcome",
  rule: "did it happen",
  why: "",
  run: "r9",
  conversation: "c4",
  expires: NOW + 6 * 86_400,
});

export const OTHERS = question("q6", "Publish *Bread prices*: 1 page and 8 entries", {
  fourEyes: true,
  may: { approve: false, deny: false, edit: false, kind: "approve" },
  conversation: "c5",
  expires: NOW + 3600,
});

const IMAGES = [
  "Easter plait on a tray",
  "The old shop sign",
  "Tomasz with a peel",
  "Tomasz with a peel, cropped",
  "A table laid for a course",
  "Plum cake, blurred",
  "Price list of 2024",
  "Lena on the bridge",
  "Flour sacks",
  "Window at night",
  "Cinnamon stars, first try",
  "Jar of starter from above",
];

export const BATCH: QuestionDocument[] = IMAGES.map((name, index) =>
  question(`b${index}`, `Delete the image *${name}*`, {
    rule: "deletes for good",
    why: "it cannot be brought back",
    tool: "delete_image",
    run: "r7",
    conversation: "",
    call: `d${index}`,
    asker: "schedule",
    agent: "tidy-up",
    arguments: JSON.stringify({ image: name }),
    rows: [{ where: "Last shown on", before: index % 2 ? "never" : "Home, until 8 April", after: "" }],
    asked: NOW - 75_600,
    expires: NOW + 2 * 86_400,
  }),
);

function settled(id: string, rest: Partial<QuestionDocument>): QuestionDocument {
  return { ...PUBLISH, id, ...rest };
}

export const STATES = {
  approved: settled("s1", {
    status: "taken",
    decision: {
      approved: true,
      by: "Marta Amsel",
      kind: "approve",
      at: NOW - 120,
      reason: "",
      arguments: "",
      grant: "",
    },
  }),
  denied: settled("s2", {
    status: "denied",
    decision: {
      approved: false,
      by: "Ada",
      kind: "approve",
      at: NOW - 7200,
      reason: "Not before Friday, please.",
      arguments: "",
      grant: "",
    },
  }),
  expired: settled("s3", { status: "expired", expires: NOW - 600 }),
  stale: settled("s4", { status: "closed", may: { approve: false, deny: false, edit: false, kind: "approve" } }),
};

export const LONG = question(
  "q7",
  "Publish *On the difference between a crust that sings, a crust that merely crackles, and a crust that says nothing at all, with a note on Donaudampfschifffahrtsgesellschaftskapitänsbrot*: visitors see a new post",
  {
    quote:
      "Please publish the long post about crusts that we wrote together on Tuesday, the one with the note, and do not forget that the German version has a longer title than search engines show, so look at that first and shorten it if you must.",
    rows: [
      {
        where: "Journal, title",
        before: "A short note on crusts",
        after:
          "On the difference between a crust that sings, a crust that merely crackles, and a crust that says nothing at all, with a note on Donaudampfschifffahrtsgesellschaftskapitänsbrot",
      },
    ],
    conversation: "c6",
  },
);

/** The question that replaced the stale one. */
export const REPLACEMENT = question("q9", "Publish *Winter cakes*: visitors see 2 changed pages", {
  replaces: "s4",
  conversation: "",
  run: "r12",
  expires: NOW + 7200,
});

export const ALL: QuestionDocument[] = [PUBLISH, REPLACEMENT, CONFIRM, MAIL, MANY, OUTCOME, OTHERS, ...BATCH];
