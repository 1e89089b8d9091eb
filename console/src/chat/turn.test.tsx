import { act, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { run } from "../stories/build";
import { PUBLISH } from "../stories/questions";
import { renderPart } from "../testing/render";
import type { RunDocument } from "../wire";
import { Turn } from "./turn";

const MACHINE = "[Ada confirmed the announced call of delete_page; it is made now, and its result follows.]";

function show(document: RunDocument, onGoOn?: () => void) {
  return renderPart(<Turn run={document.run} prompt={undefined} facts={{}} agent="editor" onGoOn={onGoOn} />, {
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

test.each([
  ["cancelled", "Stopped before the answer was complete."],
  ["failed", "It failed."],
] as const)("an answer that was %s says so, and the last one offers to go on", async (status, words) => {
  const goOn = vi.fn();
  const { user } = show({ ...run("r92", { title: "Rename Jobs", answers: [["I begin.", []]] }), status }, goOn);
  await screen.findByText(words);
  await user.click(screen.getByRole("button", { name: "Go on" }));
  expect(goOn).toHaveBeenCalledOnce();
});

test("an earlier answer that was stopped offers nothing", async () => {
  show({ ...run("r93", { title: "Rename Jobs", answers: [["I begin.", []]] }), status: "cancelled" });
  await screen.findByText("Stopped before the answer was complete.");
  expect(screen.queryByRole("button", { name: "Go on" })).toBeNull();
});

test("while the server is away an answer that is not complete says that it was interrupted", async () => {
  const { services } = show({
    ...run("r94", { title: "Rename Jobs", answers: [["I begin.", []]] }),
    status: "running",
  });
  act(() => {
    services.world.state = { ...services.world.state, connection: "away" };
    services.world.putQuestion(PUBLISH);
  });
  expect(await screen.findByText("Interrupted: the server does not answer.")).toBeTruthy();
});

test("an answer that went on after its server had stopped says so", async () => {
  show({ ...run("r95", { title: "Rename Jobs", answers: [["It is done.", []]] }), continuedAt: 1_700_000_000 });
  expect(await screen.findByText(/The server stopped in the middle of this. It went on at/)).toBeTruthy();
});

test("a run that rests for a person can be tried at once", async () => {
  const document = run("r96", { title: "Rename Jobs", answers: [["I begin.", []]] });
  const { user, api } = show({ ...document, status: "stalled", reason: "The key is refused." });
  const send = vi.spyOn(api, "send");
  await user.click(await screen.findByRole("button", { name: "Try now" }));
  expect(send).toHaveBeenCalledWith("POST", "/api/runs/r96/resume");
});
