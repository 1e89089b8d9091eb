import { expect, test } from "vitest";
import { type CallView, emptyRun } from "../live/run-state";
import { CONFIRM } from "../stories/questions";
import { renderPart } from "../testing/render";
import { Act } from "./act";

const CALL: CallView = {
  key: "m1",
  call: "k1",
  parent: "",
  tool: "delete_page",
  sentence: { text: "Asked whether to delete the page Jobs", parts: [] },
  state: "done",
  startedAt: 10,
  endedAt: 11,
  attempt: 1,
  by: "",
  args: "{}",
  result: "",
  error: "",
  rules: [],
  logs: [],
  changed: [],
};

function lineOf(call: CallView): string {
  const state = { ...emptyRun("r1"), questions: { q: { ...CONFIRM, id: "q", call: "k1" } } };
  renderPart(<Act call={call} state={state} facts={{}} />);
  return document.querySelector("summary")!.textContent;
}

test("a call that announced what it asks is not answered yet", () => {
  expect(lineOf(CALL)).toContain("Asked whether to delete the page Jobs, not answered yet");
});

test("a call that is asked about waits for an answer", () => {
  const sentence = { text: "Delete the page Jobs", parts: [] };
  expect(lineOf({ ...CALL, sentence, state: "asked" })).toContain("Delete the page Jobs waits for an answer");
});
