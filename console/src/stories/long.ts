/** Many runs, and a run with many calls. */
import type { CallDocument, RunDocument } from "../wire";
import { call, NOW, object, run, timed } from "./build";

const TITLES = [
  "Translate the allergens page",
  "Raise bread prices by 20 cents",
  "Which pages name a price?",
  "A post about the new oven",
];

export const MANY_RUNS: RunDocument[] = Array.from({ length: 400 }, (_, index) =>
  run(`m${index}`, {
    title: `${TITLES[index % TITLES.length]} (${index + 1})`,
    rest: { opened: NOW - index * 7200, principal: index % 3 ? "Ada" : "Yusuf", conversation: "" },
  }),
);

const CALLS: CallDocument[] = timed(
  NOW - 900,
  Array.from({ length: 300 }, (_, index): [CallDocument, number, number] => {
    const isRead = index % 10 < 6;
    const made = isRead
      ? call(`x${index}`, "get_page", `Read *Page ${index}*`)
      : call(`x${index}`, "update_page", `Changed the heading of *Page ${index}*`, {
          changed: [object("page", `Page ${index}`, ["heading"])],
        });
    return [made, isRead ? 0.4 : 1.2, index % 10 === 0 ? 2 : 0.1];
  }),
);

export const LONG_RUN: RunDocument = run("long", {
  title: "Give every page a shorter heading",
  calls: CALLS,
  answers: Array.from({ length: 30 }, (_, index): [string, string[]] => [
    "",
    CALLS.slice(index * 10, index * 10 + 10).map((each) => each.call),
  ]),
  rest: { opened: NOW - 905, ended: NOW - 600, conversation: "" },
});
