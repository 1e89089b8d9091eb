import { expect, test } from "vitest";
import { call, question, run } from "../stories/build";
import { titleOfRun } from "../live/document";
import { courseOf } from "./lanes";

test("a run waits while a question is open about a call to come, also one that was asked before the run began", () => {
  const asked = question("q", "Publish", { asked: 90, expires: 1000, waits: false });
  const decision = {
    approved: true,
    by: "Ada",
    kind: "approve" as const,
    at: 150,
    reason: "",
    arguments: "",
    grant: "",
  };
  const document = run("r", {
    title: "Publish it",
    rest: { opened: 100, ended: 160, questions: [{ ...asked, status: "approved", decision }] },
  });
  expect(courseOf(document, 160).waits).toEqual([[100, 150]]);
});

test("a run that is one call of a tool has the sentence of the call, and its bar", () => {
  const root = {
    ...call("root", "delete_page", "Move the page *Old prices* to the trash"),
    startedAt: 100,
    endedAt: 101,
  };
  const document = { ...run("r", { title: "p7", rest: { opened: 100, ended: 101, agent: "delete_page" } }), root };
  const direct = { ...document, messages: [] };
  expect(titleOfRun(direct)).toBe("Move the page Old prices to the trash");
  expect(courseOf(direct, 101).lanes[1]?.bars.map((each) => each.id)).toEqual(["root"]);
});

test("an answer after the end of a run makes its course no longer", () => {
  const decision = {
    approved: true,
    by: "Ada",
    kind: "confirm" as const,
    at: 9000,
    reason: "",
    arguments: "",
    grant: "",
  };
  const root = {
    ...call("root", "delete_page", "Move the page *Old prices* to the trash"),
    startedAt: 100,
    endedAt: 160,
  };
  const asked = question("q", "Publish", { call: "root", asked: 150, expires: 9999, status: "approved", decision });
  const document = run("r", {
    title: "p7",
    rest: { opened: 100, ended: 160, agent: "delete_page", questions: [asked] },
  });
  const course = courseOf({ ...document, root, messages: [] }, 9000);
  expect(course.waits).toEqual([[150, 160]]);
  expect(course.lanes.flatMap((lane) => lane.bars).every((bar) => bar.to <= 160)).toBe(true);
});
