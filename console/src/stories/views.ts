import type { JournalItem } from "../events";
import type { ObjectDocument, ObjectEventDocument, ObjectRowDocument, ReplayDocument } from "../wire";
import { NOW } from "./build";

export const REPLAY: ReplayDocument = { run: "r5", identical: true, compared: 41, difference: "" };

export const ITEMS: JournalItem[] = [
  { seq: 12, kind: "question", at: NOW - 1500, call: "e5" },
  { seq: 13, kind: "decision", at: NOW - 1498, call: "e5" },
  { seq: 14, kind: "started", at: NOW - 1497, call: "e5" },
  { seq: 15, kind: "tool_output", at: NOW - 1497, call: "e5" },
];

function row(id: string, name: string, note: string, group: string, needsPerson = false): ObjectRowDocument {
  return { id, name, note, group, needsPerson, at: NOW - 4000 };
}

export const ROWS: Record<string, ObjectRowDocument[]> = {
  set: [
    row("christmas-hours", "Christmas hours", "2 pages, 1 post · Ada, today", "Open"),
    row("winter-cakes", "Winter cakes", "2 pages · Marta changed Cakes since", "Open", true),
    row("course", "Course in February", "1 page · goes live 1 January, 06:00", "Open"),
    row("bread-prices", "Bread prices", "1 page, 8 entries · Wednesday", "Published"),
  ],
  page: [row("visit-us", "Visit us", "/visit · a draft is newer", "Pages"), row("order", "Order", "/order", "Pages")],
  post: [row("rest", "We rest, the starter does not", "not published", "Drafts")],
  plan: [
    row("easter", "Easter bread", "goes live on Thursday, 06:00 · Ada", "Scheduled"),
    row("sale", "Winter sale", "Visit us has changed since", "Refused", true),
  ],
};

function event(id: string, name: string, days: number, hour: number, label: string): ObjectEventDocument {
  const day = new Date(NOW * 1000);
  const at = new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour).getTime() / 1000;
  return { id, name, at, label, note: "asked by Ada", needsPerson: label === "Refused", isOver: days < 0 };
}

export const EVENTS: Record<string, ObjectEventDocument[]> = {
  plan: [
    event("course", "Course in February", -2, 6, "Published"),
    event("sale", "Winter sale", -1, 18, "Refused"),
    event("easter", "Easter bread", 2, 6, "Publish"),
    event("rest", "We rest, the starter does not", 2, 7, "Publish"),
    event("stollen", "Stollen", 2, 18, "Hide"),
  ],
};

const NOTHING: ObjectDocument = {
  name: "",
  note: "",
  pages: [],
  sections: [],
  changes: [],
  actions: [],
  files: [],
  blocked: "",
  isPast: false,
};

export const DETAILS: Record<string, ObjectDocument> = {
  set: {
    ...NOTHING,
    name: "Christmas hours",
    note: "2 pages and a post, 5 differences from what visitors see",
    pages: [
      { title: "Visit us", before: "/preview.html?live", after: "/preview.html", note: "revision 8" },
      { title: "We rest, the starter does not", before: "", after: "/preview.html?post", note: "new" },
    ],
    changes: [
      {
        where: "Visit us: Between the years",
        before: "",
        after: "24 and 31 December until 12:00, closed until 6 January",
      },
      {
        where: "Order: Stollen",
        before: "Only stollen, in December.",
        after: "Only stollen, if ordered by 30 November.",
      },
    ],
    actions: [
      { label: "Discard…", tool: "discard_set", arguments: {}, destructive: true },
      { label: "Publish…", tool: "publish_set", arguments: {}, destructive: false },
    ],
  },
  page: {
    ...NOTHING,
    name: "Visit us",
    note: "/visit",
    pages: [{ title: "Visit us", before: "/preview.html?live", after: "/preview.html", note: "" }],
  },
  post: {
    ...NOTHING,
    name: "We rest, the starter does not",
    note: "not published",
    sections: [
      {
        title: "Notes",
        text: "The mill owes 412.50 € for 25 wet sacks.\nCredit agreed on 11 September.",
        columns: [],
        rows: [],
      },
      {
        title: "Kept mails",
        text: "",
        columns: ["From", "Subject", "Date"],
        rows: [
          ["Tomasz Wrona", "25 sacks wet, photos", "4 Sep"],
          ["Jakob Seidel", "Re: the sacks of Wednesday", "11 Sep"],
        ],
      },
    ],
    files: [{ digest: "f1", name: "invoice-2026-10.pdf", mediaType: "application/pdf", size: 48_000 }],
    blocked: "Marta changed it since: open it again before you publish it.",
    isPast: false,
  },
};
