import { expect, test } from "vitest";
import { run } from "../stories/build";
import { fromDocument } from "./document";
import { type Block, emptyRun } from "./run-state";
import { withCutWords } from "./use-run";

const words = (text: string, isOpen = false): Block => ({ kind: "text", id: text, text, isOpen });
const stopped = fromDocument({ ...run("r", { title: "Tell me", answers: [["I look.", []]] }), status: "cancelled" });
const textsOf = (blocks: Block[] = []) => blocks.map((each) => (each.kind === "call" ? each.key : each.text));

test.each([
  ["its stream ended first", { blocks: [words("I look."), words("It begins", true)], dropped: [] }],
  ["its answer was dropped first", { blocks: [words("I look.")], dropped: [words("It begins", true)] }],
])("a stopped answer keeps the words that it had begun when %s", (_, streamed) => {
  const seen = withCutWords(stopped, { ...emptyRun("r"), ...streamed });
  expect(textsOf(seen?.blocks)).toEqual(["I look.", "It begins"]);
});

test("nothing is said twice, and runs that were not stopped are as the journal has them", () => {
  const streamed = { ...emptyRun("r"), blocks: [words("I look.")] };
  expect(withCutWords(stopped, streamed)).toBe(stopped);
  const done = { ...stopped, status: "done" as const };
  expect(withCutWords(done, { ...streamed, blocks: [words("Else")] })).toBe(done);
});
