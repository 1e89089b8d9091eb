import { expect, test } from "vitest";
import { question, run } from "../stories/build";
import { align } from "./align";

function answered(approved: boolean, by: string) {
  const decision = { approved, by, kind: "approve" as const, at: 150, reason: "", arguments: "", grant: "" };
  const asked = question("q", "Publish", { asked: 120, status: "taken", decision });
  return run(by, { title: "Publish it", rest: { opened: 100, ended: 160, questions: [asked] } });
}

test("a question that got another answer is a difference, and who gave it is none", () => {
  expect(align(answered(true, "Ada"), answered(true, "Ben")).pairs.filter((each) => each.a?.question)[0]?.isSame).toBe(
    true,
  );
  expect(align(answered(true, "Ada"), answered(false, "Ada")).pairs.filter((each) => each.a?.question)[0]?.isSame).toBe(
    false,
  );
});
