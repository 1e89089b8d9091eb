import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { RefusedError } from "../api/api";
import { PUBLISH, STATES } from "../stories/questions";
import { renderAt } from "../testing/render";

function page() {
  return within(screen.getByRole("main"));
}

describe("chat", () => {
  test("shows what was said, what was done and what changed, with reads folded", async () => {
    renderAt("/chat/c1");
    expect(await screen.findAllByText("Between the years")).toHaveLength(2);
    expect(page().getByText(/Read 4 things/)).toBeTruthy();
    expect(page().getByText("3 changes")).toBeTruthy();
    expect(document.body.textContent).not.toContain('{"');
  });

  test("a question stands in the composer's place, and the composer returns when it is answered", async () => {
    const { user } = renderAt("/chat/c1");
    await user.click(await screen.findByRole("button", { name: /Approve once/ }));
    await screen.findByRole("textbox", { name: "Message" });
  });

  test("a question that somebody else settles meanwhile stays until the person goes on", async () => {
    const { user, api } = renderAt("/chat/c1");
    await screen.findByRole("button", { name: /Approve once/ });
    act(() => api.tell("question", { ...STATES.approved, id: PUBLISH.id }));
    await screen.findByText("you had it open");
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Go on" }));
    await screen.findByRole("textbox", { name: "Message" });
  });

  test("an answer is shown while it is written", async () => {
    renderAt("/chat/c7");
    await screen.findByText(/Somebody who reads only the order page/);
    expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
  });

  test("a file goes with a message as the reference to what was stored", async () => {
    const { user, api } = renderAt("/chat");
    const send = vi.spyOn(api, "send");
    await user.upload(await screen.findByLabelText("Files", { selector: "input" }), new File(["menu"], "menu.txt"));
    await page().findByText("menu.txt");
    await user.type(screen.getByRole("textbox", { name: "Message" }), "Read it{Enter}");
    await waitFor(() => expect(send).toHaveBeenCalled());
    expect(send.mock.calls[0]?.[2]).toMatchObject({ prompt: "Read it", files: [{ name: "menu.txt", size: 4 }] });
  });

  test("a file that cannot be stored is told, and none goes", async () => {
    const { user, api } = renderAt("/chat");
    vi.spyOn(api, "upload").mockRejectedValue(new RefusedError(413, { error: "the body is too large", code: "" }));
    await user.upload(await screen.findByLabelText("Files", { selector: "input" }), new File(["x"], "film.mov"));
    expect((await screen.findByRole("alert")).textContent).toContain("film.mov could not be stored");
    expect(screen.queryByRole("link", { name: "film.mov" })).toBeNull();
  });

  test("files and memory stand beside the talk, and a file is opened by its name", async () => {
    const { user } = renderAt("/chat/c1");
    await user.click(await screen.findByRole("button", { name: "Beside" }));
    await user.click(screen.getByRole("button", { name: "Files" }));
    const file = await screen.findByRole("link", { name: "shop-window.jpg" });
    expect(file.getAttribute("href")).toContain("conversation=c1");
    expect(screen.getByText(/made by “make leaflet”/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Memory" }));
    expect((await screen.findByRole("link", { name: "Visit us" })).getAttribute("href")).toBe("/objects/page/visit-us");
  });

  test("Enter sends, and the same text after a lost answer has the same key", async () => {
    const { user, api } = renderAt("/chat");
    const send = vi.spyOn(api, "send").mockRejectedValueOnce(new Error("The server does not answer."));
    const box = await screen.findByRole("textbox", { name: "Message" });
    await user.type(box, "hello{Enter}");
    await screen.findByRole("alert");
    expect((box as HTMLTextAreaElement).value).toBe("hello");
    await user.type(box, "{Enter}");
    await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
    expect(send.mock.calls[0]?.[3]).toBe(send.mock.calls[1]?.[3]);
    await waitFor(() => expect(window.location.pathname).toMatch(/^\/chat\/.+/));
  });
});

describe("undo", () => {
  test("is a governed call on the target of its run, and says why it failed", async () => {
    const { user, api } = renderAt("/chat/c1");
    const send = vi.spyOn(api, "send").mockRejectedValueOnce(new Error("It has changed since."));
    const [undo] = await screen.findAllByRole("button", { name: "Undo" });
    await user.click(undo!);
    await screen.findByText("It has changed since.");
    expect(send.mock.calls[0]?.slice(0, 3)).toEqual(["POST", "/api/tools/update_page", { arguments: {}, target: "" }]);
  });
});

describe("undo that was made", () => {
  test("stays settled in its row, and the person stays in the talk", async () => {
    const { user } = renderAt("/chat/c1");
    const before = (await screen.findAllByRole("button", { name: "Undo" })).length;
    await user.click(screen.getAllByRole("button", { name: "Undo" })[0]!);
    await screen.findByRole("link", { name: "Undone" });
    expect(screen.queryAllByRole("button", { name: "Undo" })).toHaveLength(before - 1);
    expect(window.location.pathname).toBe("/chat/c1");
  });
});

describe("a signed-out person", () => {
  test("reads so below the message, which stays, with the way to sign in and back", async () => {
    const { user, api } = renderAt("/chat/c1");
    await user.click(await screen.findByRole("button", { name: /Approve once/ }));
    const box = await screen.findByRole("textbox", { name: "Message" });
    vi.spyOn(api, "send").mockRejectedValue(new RefusedError(401, { error: "sign in first", code: "" }));
    await user.type(box, "hello{Enter}");
    expect((await screen.findByRole("link", { name: "Sign in" })).getAttribute("href")).toBe(
      "/login?next=%2Fchat%2Fc1",
    );
    expect((box as HTMLTextAreaElement).value).toBe("hello");
  });
});

describe("a call by hand", () => {
  test("waits with its button until its question is answered, and a lost answer has the same key", async () => {
    const { user, api } = renderAt("/tools/publish_set");
    const outcome = { run: "r2", status: "waiting", questions: ["q1"], reason: "", error: "", code: "", result: null };
    const send = vi
      .spyOn(api, "send")
      .mockRejectedValueOnce(new Error("The server does not answer."))
      .mockResolvedValue(outcome);
    const form = within(await screen.findByRole("form", { name: "Try it" }));
    for (const field of form.queryAllByRole("textbox")) await user.type(field, "1");
    const button = form.getByRole("button", { name: /Call it/ });
    await user.click(button);
    await form.findByRole("alert");
    await user.click(button);
    await form.findByText("It waits for an answer.");
    expect(button).toHaveProperty("disabled", true);
    expect(send.mock.calls[0]?.[3]).toBe(send.mock.calls[1]?.[3]);
    act(() => api.tell("question", { ...STATES.approved, id: PUBLISH.id }));
    await form.findByText("It was answered.");
    expect(button).toHaveProperty("disabled", false);
  });
});

describe("inbox", () => {
  test("counts in amber only what waits for an approval", async () => {
    renderAt("/inbox");
    await waitFor(() => expect(document.querySelector(".rail .count")?.textContent).toBe("18 questions wait"));
  });

  test("a batch decides each row by itself", async () => {
    const { user, api } = renderAt("/inbox/b0?batch=");
    const send = vi.spyOn(api, "send");
    await user.click(await screen.findByRole("checkbox", { name: "Delete the image Lena on the bridge" }));
    await user.click(screen.getByRole("button", { name: "Approve 11, deny 1" }));
    await waitFor(() => expect(send).toHaveBeenCalledTimes(12));
    expect(send.mock.calls.filter(([, , body]) => (body as { approved: boolean }).approved)).toHaveLength(11);
  });

  test("says that nothing waits", async () => {
    renderAt("/inbox", "empty");
    await screen.findByText("Nothing waits.");
  });
});

describe("runs", () => {
  test("open ones come first, then days, and a search narrows them", async () => {
    const { user } = renderAt("/runs");
    await screen.findByText("Answer the mails of the morning");
    expect(document.querySelector("tr.day")?.textContent).toBe("Open");
    await user.type(screen.getByPlaceholderText(/What was asked/), "stollen list");
    await waitFor(() => expect(screen.queryByText("Answer the mails of the morning")).toBeNull());
    expect(screen.getByText("Send the stollen list to all customers")).toBeTruthy();
  });

  test("a run shows its course, and why the picked call ran", async () => {
    renderAt("/runs/r5?tab=why#e5");
    await screen.findByText(/Marta Amsel approved/);
    expect(screen.getByText("Ran once")).toBeTruthy();
    expect(screen.getByText(/Asked Marta Amsel, 2 h 4 min/)).toBeTruthy();
    expect(screen.getByText("Translator")).toBeTruthy();
  });

  test("a replay steps with the arrow keys, and each step is an address", async () => {
    const { user } = renderAt("/runs/r5/replay#asked");
    await screen.findByText(/Identical, 41 items of its journal/);
    await user.keyboard("{ArrowRight}");
    await screen.findByText(/2 of 15/);
    expect(window.location.hash).not.toBe("#asked");
  });

  test("two runs are compared to the first difference", async () => {
    renderAt("/compare/r5/r1");
    await screen.findByText("First difference");
  });

  test("a comparison says what a person was asked", async () => {
    renderAt("/compare/r5/r1?all");
    await screen.findByText("First difference");
    const asked = screen.getAllByText(/^A person was asked/).map((each) => each.textContent);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((each) => each.length > "A person was asked: ".length)).toBe(true);
  });

  test("a run is not offered for a comparison with itself", async () => {
    renderAt("/runs?compare=r5");
    await screen.findByText(/Pick the run to compare with/);
    await waitFor(() => expect(document.querySelector('a[href="/compare/r5/r1"]')).not.toBeNull());
    expect(document.querySelector('a[href="/compare/r5/r5"]')).toBeNull();
  });
});

describe("other pages", () => {
  test("an object shows its pages before and after, and its changes in words", async () => {
    const { user } = renderAt("/objects/set/christmas-hours");
    await screen.findByTitle("Preview of Visit us, after the changes");
    await user.click(screen.getByRole("button", { name: /Words 2/ }));
    await screen.findByText("Order: Stollen");
  });

  test("an action that takes something away is red, and the likely one is filled", async () => {
    renderAt("/objects/set/christmas-hours");
    expect((await screen.findByRole("button", { name: "Discard…" })).className).toBe("b ruin");
    expect(screen.getByRole("button", { name: "Publish…" }).className).toBe("b yes");
  });

  test("an action of an object is a governed call", async () => {
    const { user, api } = renderAt("/objects/set/christmas-hours");
    const send = vi.spyOn(api, "send");
    await user.click(await screen.findByRole("button", { name: "Publish…" }));
    expect(send.mock.calls[0]?.slice(0, 3)).toEqual(["POST", "/api/tools/publish_set", { arguments: {}, target: "" }]);
    await waitFor(() => expect(window.location.pathname).toBe("/runs/r1"));
  });

  test("a tool says what governs it in words", async () => {
    renderAt("/tools/publish_set");
    await screen.findByText("a repeated call is the same call");
    expect(screen.getByText(/high: a person is asked/)).toBeTruthy();
  });

  test("policy shows the rules with their tools in words, and the layers one fold away", async () => {
    const { user } = renderAt("/policy");
    const rule = (await screen.findByText("One mail, one person")).closest("tr")!;
    expect(rule.textContent).toMatch(/Only for: (?!.*_)/);
    expect(document.body.textContent).not.toContain("Authorize()");
    await user.click(screen.getByText("Layers that each call passes"));
    expect(await screen.findByText(/Authorize\(\)/)).toBeTruthy();
  });

  test("an error of the server says what is safe and offers another try", async () => {
    renderAt("/tools", "error");
    await screen.findByText("This could not be read.");
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
  });

  test.each(["/runs/%", "/runs/r5#100%", "/inbox/%E0%A4%A", "/chat/%zz"])(
    "an address with a malformed percent sign, %s, shows the console",
    async (path) => {
      renderAt(path);
      await screen.findByRole("main");
      expect(screen.queryByText("This page could not be shown.")).toBeNull();
    },
  );

  test("a page that does not exist leads back", async () => {
    renderAt("/nowhere");
    await screen.findByText("Nothing is here.");
  });
});

describe("keys", () => {
  test("g i opens the inbox, and keys are letters while one writes", async () => {
    const { user } = renderAt("/chat");
    const box = await screen.findByRole("textbox", { name: "Message" });
    await user.type(box, "gi");
    expect(window.location.pathname).toBe("/chat");
    act(() => box.blur());
    await user.keyboard("gi");
    await waitFor(() => expect(window.location.pathname).toMatch(/^\/inbox/));
  });

  test("the list of keys opens with a question mark and closes", async () => {
    const { user } = renderAt("/runs");
    await screen.findByRole("heading", { name: "Runs" });
    await user.keyboard("?");
    await user.click(await screen.findByRole("button", { name: "Close" }));
    expect(screen.queryByRole("heading", { name: "Keys" })).toBeNull();
  });
});

describe("what could not be read", () => {
  test("is not told as nothing that waits", async () => {
    renderAt("/inbox", "error");
    await screen.findByText("This could not be read.");
    expect(screen.queryByText("Nothing waits.")).toBeNull();
    expect(screen.getByText("They could not be read")).toBeTruthy();
  });

  test("is read again on demand", async () => {
    const { user, api } = renderAt("/inbox", "error");
    const button = await screen.findByRole("button", { name: "Try again" });
    vi.spyOn(api, "get").mockResolvedValue({ items: [], next: "" });
    await user.click(button);
    await screen.findByText("Nothing waits.");
  });
});

describe("an answer in the inbox", () => {
  test("leaves the settled card in place, with who answered", async () => {
    const { user } = renderAt("/inbox/q3");
    await user.click(await screen.findByRole("button", { name: /Approve once/ }));
    await screen.findByText(/You approved/);
    expect(window.location.pathname).toBe("/inbox/q3");
  });
});
