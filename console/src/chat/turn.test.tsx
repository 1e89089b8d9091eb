import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { run } from "../stories/build";
import { renderPart } from "../testing/render";
import type { RunDocument } from "../wire";
import { Turn } from "./turn";

const MACHINE = "[Ada confirmed the announced call of delete_page; it is made now, and its result follows.]";

function show(document: RunDocument) {
  renderPart(<Turn run={document.run} prompt={undefined} facts={{}} agent="editor" />, {
    get: <T,>() => Promise.resolve(document as T),
  });
}

test("what a person wrote stands at the beginning of a turn", async () => {
  show(run("r90", { title: "Delete the page Jobs", answers: [["It is deleted.", []]] }));
  await screen.findByText("It is deleted.");
  expect(screen.getByText("Delete the page Jobs")).toBeTruthy();
});

test("a run that an answer began has no words of a person", async () => {
  const document = run("r91", { title: "Delete the page Jobs", answers: [["It is deleted.", []]] });
  const messages = document.messages.map((each) =>
    each.role === "user" ? { ...each, by: "loop" as const, text: MACHINE } : each,
  );
  const root = { ...document.root!, arguments: JSON.stringify({ prompt: MACHINE }) };
  show({ ...document, messages, root });
  await screen.findByText("It is deleted.");
  expect(globalThis.document.body.textContent).not.toContain("announced call");
  expect(screen.queryByText("Delete the page Jobs")).toBeNull();
});
