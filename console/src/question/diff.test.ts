import { expect, test } from "vitest";
import { splitWords } from "./diff";

test("the words that go and come are marked, the others are not", () => {
  const before = splitWords("Only stollen, in December.", "Only stollen, if ordered by 30 November.", "before");
  expect(before).toEqual([
    { words: "Only stollen, ", isSame: true },
    { words: "in December.", isSame: false },
  ]);
});

test("texts that share next to nothing are marked whole", () => {
  expect(splitWords("a note on crusts", "something else entirely with a few words", "after")).toEqual([
    { words: "something else entirely with a few words", isSame: false },
  ]);
});

test("texts of many words are compared as a whole, in bounded time", () => {
  const long = "word ".repeat(5000);
  expect(splitWords(long, `${long}more`, "after")).toHaveLength(1);
});
