import { act, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Api, RefusedError } from "../api/api";
import { useWorld } from "../live/world";
import { ME } from "../stories/data";
import { AGAIN, CONFIRM, LONG, MAIL, MANY, OTHERS, OUTCOME, PUBLISH, REPLACEMENT, STATES } from "../stories/questions";
import { renderPart } from "../testing/render";
import type { QuestionDocument } from "../wire";
import { QuestionCard } from "./card";

function Live({ question }: { question: QuestionDocument }) {
  const newest = useWorld((world) => world.questions[question.id]);
  return <QuestionCard question={newest ?? question} />;
}

test("an approval says what happens, why, who may answer and what silence means, before its buttons", () => {
  renderPart(<QuestionCard question={PUBLISH} />);
  const card = screen.getByRole("article", { name: /Publish “Christmas hours”/ });
  expect(card.textContent).toMatch(/it changes what visitors see\. You may answer\. No answer by .*: not done\./);
  expect(card.textContent).toContain("1 new since your last yes");
});

test("what is new is counted only where a row shows it", () => {
  const news = [{ where: "pageId", before: "1", after: "2" }];
  renderPart(<QuestionCard question={{ ...PUBLISH, news }} />);
  expect(document.body.textContent).not.toContain("new since your last yes");
});

test("a question links to what the call would do: in the console, or else elsewhere", () => {
  const shows = { kind: "effect", id: "a/b" };
  const other = { kind: "nothing", id: "1" };
  for (const [given, expected] of [
    [{ shows, link: "https://site.example/" }, "/objects/effect/a%2Fb?target=shop"],
    [{ shows: other, link: "https://site.example/" }, "https://site.example/"],
    [{ shows: null, link: "javascript:alert(1)" }, undefined],
  ] as const) {
    const { unmount } = renderPart(<QuestionCard question={{ ...PUBLISH, target: "shop", ...given }} />);
    expect(screen.queryByRole("link", { name: "See what it would do" })?.getAttribute("href")).toBe(expected);
    unmount();
  }
});

test("nobody reads JSON above a fold", () => {
  for (const question of [PUBLISH, CONFIRM, MAIL, MANY, OTHERS, OUTCOME, LONG]) {
    const { unmount } = renderPart(<QuestionCard question={question} />);
    expect(document.body.textContent).not.toContain('{"');
    unmount();
  }
});

test("approving once sends one decision and shows it in place", async () => {
  const { user, api } = renderPart(<Live question={PUBLISH} />);
  const send = vi.spyOn(api, "send");
  await user.click(screen.getByRole("button", { name: /Approve once/ }));
  await screen.findByText(/You approved/);
  expect(send).toHaveBeenCalledExactlyOnceWith(
    "POST",
    "/api/questions/q1/decision",
    { approved: true },
    expect.any(String),
  );
});

test("the key y moves to the yes and does not give it", async () => {
  const { user, api } = renderPart(<QuestionCard question={PUBLISH} />);
  const send = vi.spyOn(api, "send");
  await user.keyboard("y");
  expect(document.activeElement?.textContent).toMatch(/Approve once/);
  expect(send).not.toHaveBeenCalled();
});

test("a no carries its reason to the agent", async () => {
  const { user, api } = renderPart(<Live question={PUBLISH} />);
  const send = vi.spyOn(api, "send");
  await user.keyboard("n");
  await user.type(screen.getByLabelText(/Why not/), "not before Friday");
  await user.click(screen.getByRole("button", { name: "Deny" }));
  expect(send.mock.calls[0]?.[2]).toEqual({ approved: false, reason: "not before Friday" });
});

test("an edit approves the changed arguments and keeps the others", async () => {
  const { user, api } = renderPart(<Live question={MAIL} />);
  const send = vi.spyOn(api, "send");
  await user.keyboard("e");
  const subject = await screen.findByRole("textbox", { name: /Subject/ });
  expect(screen.getByRole("button", { name: "Approve as edited" })).toHaveProperty("disabled", true);
  await user.clear(subject);
  await user.type(subject, "Christmas Eve");
  await user.click(screen.getByRole("button", { name: "Approve as edited" }));
  const request = send.mock.calls[0]?.[2] as { arguments: unknown };
  expect(request.arguments).toMatchObject({ subject: "Christmas Eve", to: "hanna.reis@post.example" });
});

test("a confirmation names its act and is confirmed, not approved", async () => {
  const { user, api } = renderPart(<Live question={CONFIRM} />);
  const send = vi.spyOn(api, "send");
  expect(screen.getByText(/Your own step, Ada/)).toBeTruthy();
  expect(screen.queryByText(/Approve once/)).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Move/ }));
  expect(send.mock.calls[0]?.[2]).toEqual({ approved: true, kind: "confirm" });
});

test("a question that somebody else settled while it was open says so", async () => {
  const { user, api } = renderPart(<Live question={PUBLISH} />);
  vi.spyOn(api, "send").mockRejectedValue(
    new RefusedError(409, { error: "settled", code: "REQUEST_CONFLICT" }, { ...STATES.approved, id: PUBLISH.id }),
  );
  await user.click(screen.getByRole("button", { name: /Approve once/ }));
  await screen.findByText(/Marta Amsel approved/);
  expect(screen.getByText("you had it open")).toBeTruthy();
  expect(screen.getByText(/Your answer was not needed and is not recorded/)).toBeTruthy();
});

test("a decision that could not be sent stays on the card and sends the same key again", async () => {
  const { user, api } = renderPart(<Live question={PUBLISH} />);
  const send = vi.spyOn(api, "send").mockRejectedValueOnce(new Error("The server does not answer."));
  await user.click(screen.getByRole("button", { name: /Approve once/ }));
  await screen.findByRole("alert");
  await user.click(screen.getByRole("button", { name: /Approve once/ }));
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  expect(send.mock.calls[0]?.[3]).toBe(send.mock.calls[1]?.[3]);
});

test("a question that another one has replaced cannot be approved, and leads to the other", async () => {
  const { services } = renderPart(<QuestionCard question={STATES.stale} />);
  act(() => services.world.putQuestion(REPLACEMENT));
  await screen.findByText(/cannot be approved/);
  expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
  expect(screen.getByRole("link", { name: "See the new state" }).getAttribute("href")).toBe("/inbox/q9");
});

test("a question for somebody else has no buttons that decide", () => {
  renderPart(<QuestionCard question={OTHERS} />, { me: ME });
  expect(screen.queryAllByRole("button", { name: /Approve|Deny/ })).toHaveLength(0);
  expect(screen.getByText(/another person answers/)).toBeTruthy();
});

test("an interrupted call is asked about without a filled button", () => {
  const { container } = renderPart(<QuestionCard question={OUTCOME} />);
  expect(container.querySelector(".yes")).toBeNull();
  expect(screen.getByRole("button", { name: "It happened" })).toBeTruthy();
});

test("an advance approval spells out what, for whom, how often and until when", async () => {
  const { user, api } = renderPart(<Live question={{ ...PUBLISH, permissions: ["finance:approve"] }} />);
  const send = vi.spyOn(api, "send");
  await user.click(screen.getByRole("button", { name: /Allow in advance/ }));
  await user.click(screen.getByRole("button", { name: "Approve this and allow 10" }));
  expect(send.mock.calls[0]?.slice(0, 3)).toEqual([
    "POST",
    "/api/grants",
    {
      tool: "publish_set",
      principal: "Ada",
      count: 10,
      expiresIn: 28_800,
      target: "bakery/main",
      permission: "finance:approve",
    },
  ]);
});

test("an advance approval whose answer was lost is sent again with its key, and made once", async () => {
  const { user, api } = renderPart(<Live question={PUBLISH} />);
  const send = vi.spyOn(api, "send").mockRejectedValueOnce(new Error("The server does not answer."));
  await user.click(screen.getByRole("button", { name: /Allow in advance/ }));
  const button = screen.getByRole("button", { name: "Approve this and allow 10" });
  await user.click(button);
  await screen.findByRole("alert");
  await user.click(button);
  await waitFor(() => expect(send).toHaveBeenCalledTimes(3));
  expect(send.mock.calls[0]?.[3]).toBe(send.mock.calls[1]?.[3]);
});

test("each line of a summary stands above the exact call", async () => {
  const summary = '"jobs" → page "Jobs", revision 1\nThe page has one section, which visitors see.';
  renderPart(<QuestionCard question={{ ...CONFIRM, summary }} />);
  expect(document.body.textContent).toContain('"jobs" → page "Jobs", revision 1');
  expect(document.body.textContent).toContain("The page has one section");
});

test("an edit shows the name of a bound object, and sends the object unchanged if it is untouched", async () => {
  const page = { id: "p7", name: "Jobs", revision: 3 };
  const bound = { ...MAIL, arguments: JSON.stringify({ to: "a@b.example", subject: "Old", page }) };
  const { user, api } = renderPart(<Live question={{ ...bound, tool: "unknown_tool" }} />);
  const send = vi.spyOn(api, "send");
  await user.keyboard("e");
  const field = await screen.findByRole("textbox", { name: /Page/ });
  expect(field).toHaveProperty("value", "Jobs");
  await user.type(field, "x");
  await user.type(field, "{Backspace}");
  await user.type(screen.getByRole("textbox", { name: /Subject/ }), "er");
  await user.click(screen.getByRole("button", { name: "Approve as edited" }));
  expect((send.mock.calls[0]?.[2] as { arguments: unknown }).arguments).toMatchObject({ subject: "Older", page });
});

test("an edit of a bound object sends what was typed", async () => {
  const page = { id: "p7", name: "Jobs", revision: 3 };
  const { user, api } = renderPart(
    <Live question={{ ...MAIL, tool: "unknown_tool", arguments: JSON.stringify({ page }) }} />,
  );
  const send = vi.spyOn(api, "send");
  await user.keyboard("e");
  const field = await screen.findByRole("textbox", { name: /Page/ });
  await user.clear(field);
  await user.type(field, "Prices");
  await user.click(screen.getByRole("button", { name: "Approve as edited" }));
  expect(send.mock.calls[0]?.[2]).toMatchObject({ arguments: { page: "Prices" } });
});

test("an edited approval names what was edited, and leads to the question about the edited call", () => {
  const edited = '{"set":"Winter"}';
  const decision = { ...STATES.approved.decision!, arguments: edited };
  const { services } = renderPart(<QuestionCard question={{ ...STATES.approved, id: "e1", decision }} />);
  expect(screen.getByText(/Edited: set “Winter”/)).toBeTruthy();
  act(() => services.world.putQuestion({ ...PUBLISH, id: "e2", edits: "e1" }));
  expect(
    screen
      .getByText(/asked about again/)
      .querySelector("a")
      ?.getAttribute("href"),
  ).toBe("/inbox/e2");
});

test("an advance approval of no calls is refused", async () => {
  const { user } = renderPart(<Live question={PUBLISH} />);
  await user.click(screen.getByRole("button", { name: /Allow in advance/ }));
  await user.clear(screen.getByRole("spinbutton"));
  await user.type(screen.getByRole("spinbutton"), "0");
  expect(screen.getByRole("alert").textContent).toContain("1 to 1000");
  expect(screen.getByRole("button", { name: /Approve this and allow/ })).toHaveProperty("disabled", true);
});

const CONFIRMED: QuestionDocument = {
  ...CONFIRM,
  id: "c1",
  status: "taken",
  decision: { ...STATES.approved.decision!, by: ME.name, kind: "confirm" },
};

test("an answer that did not count says that the call was not run, and leads to the question that is asked instead", () => {
  const { services } = renderPart(<QuestionCard question={CONFIRMED} />);
  expect(document.body.textContent).not.toContain("The call runs once");
  act(() => services.world.putQuestion({ ...AGAIN, id: "c2", replaces: "c1" }));
  const note = screen.getByText(/Not run: what it shows has changed/).parentElement!;
  expect(note.querySelector("a")?.getAttribute("href")).toBe("/inbox/c2");
  expect(document.body.textContent).not.toContain("It counts for one call");
});

test("an answer that did not count says so also when the question in its place is settled and not yet known", async () => {
  const again = { ...CONFIRMED, id: "c2", replaces: "c1", again: AGAIN.again };
  const get = (async () => ({ items: [again], next: "" })) as Api["get"];
  renderPart(<QuestionCard question={CONFIRMED} />, { get });
  expect((await screen.findByText(/Not run: what it shows has changed/)).textContent).toBeTruthy();
});

test("a confirmation that is asked again says why before anything else", () => {
  renderPart(<QuestionCard question={AGAIN} />);
  const ask = document.querySelector(".ask")!;
  expect(ask.firstElementChild?.textContent).toContain(
    "Asked again, because the state has changed since it was approved.",
  );
  expect(ask.textContent).not.toContain("asks for a confirmation");
});

test("a confirmation gives the reason of its rule", () => {
  renderPart(<QuestionCard question={{ ...CONFIRM, why: "visitors have links to it" }} />);
  expect(document.body.textContent).toContain("Asked because visitors have links to it.");
});

test.each([
  ["Edit", /^Edit/],
  ["Deny", /^Deny…/],
  ["Allow in advance", /^Allow in advance/],
])("Escape leaves %s, and the focus is on its button again", async (_, name) => {
  const { user } = renderPart(<QuestionCard question={PUBLISH} />);
  await user.click(screen.getByRole("button", { name }));
  expect(document.activeElement).not.toBe(document.body);
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name }));
});

test("an advance approval without arguments is for any object", async () => {
  const sentence = {
    text: "Delete the page Jobs",
    parts: [
      ["Delete the page ", false],
      ["Jobs", true],
    ],
  };
  const { user } = renderPart(<QuestionCard question={{ ...PUBLISH, sentence } as QuestionDocument} />);
  await user.click(screen.getByRole("button", { name: /Allow in advance/ }));
  expect(screen.getByRole("heading").textContent).toContain("delete any page without asking");
  expect(screen.getByRole("button", { name: "Back" })).toBeTruthy();
});
