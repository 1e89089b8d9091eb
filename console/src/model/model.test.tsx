import { act, render, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { App } from "../app/app";
import { navigate } from "../app/router";
import { NO_MODEL } from "../stories/data";
import { renderAt } from "../testing/render";
import type { ChooseModel } from "../wire";

function main() {
  return within(screen.getByRole("main"));
}

describe("without a model", () => {
  test("an empty conversation says so and offers a key, weights and the rehearsal", async () => {
    renderAt("/chat", "empty");
    await screen.findByRole("heading", { name: "Which model should the editor use?" });
    expect(main().getByLabelText("Key")).toBeTruthy();
    expect(main().getByRole("button", { name: "Fetch 1.1 GB" })).toBeTruthy();
    expect(main().getByRole("button", { name: "Begin" })).toBeTruthy();
    expect(main().getByRole("link", { name: "No model" }).getAttribute("title")).toContain("no model is chosen");
  });

  test("a key that is taken leaves the field, and the conversation begins", async () => {
    const { user, api } = renderAt("/chat", "empty");
    const send = vi.spyOn(api, "send");
    await user.type(await screen.findByLabelText("Model"), "openai:tiny");
    await user.type(screen.getByLabelText("Key"), "wrong");
    await user.click(screen.getByRole("button", { name: "Test and use" }));
    expect((await screen.findByRole("alert")).textContent).toContain("refuses the key");
    expect(screen.getByRole("alert").id).toBe(screen.getByLabelText("Key").getAttribute("aria-describedby"));
    await user.clear(screen.getByLabelText("Key"));
    await user.type(screen.getByLabelText("Key"), "right");
    await user.click(screen.getByRole("button", { name: "Test and use" }));
    await screen.findByRole("heading", { name: "What should the editor do?" });
    expect(send.mock.lastCall?.slice(0, 2)).toEqual(["POST", "/api/model"]);
    expect(send.mock.lastCall?.[2] as ChooseModel).toEqual({ name: "openai:tiny", key: "right", address: "" });
    expect(screen.getByRole("link", { name: "tiny" })).toBeTruthy();
  });

  test("the rehearsal is called a script wherever a model is named, and offers its sentences", async () => {
    const { user } = renderAt("/chat", "empty");
    await user.click(await screen.findByRole("button", { name: "Begin" }));
    await screen.findByRole("link", { name: /^A script/ });
    expect(main().getByText(/It knows these sentences/)).toBeTruthy();
    await user.click(main().getByRole("button", { name: /Publish the winter cakes/ }));
    await vi.waitFor(() => expect(window.location.pathname).toMatch(/^\/chat\/.+/));
    const known = await screen.findByRole("group", { name: "Sentences that the script knows" });
    expect(within(known).getAllByRole("button")).toHaveLength(4);
  });

  test("weights that are fetched show how far they are, and can be stopped and continued", async () => {
    const { user } = renderAt("/settings/model", "empty");
    await user.click(await screen.findByRole("button", { name: "Fetch 1.1 GB" }));
    expect((await screen.findByRole("progressbar")).getAttribute("value")).toBe(String(NO_MODEL.weights[0]!.size / 2));
    expect(main().getByText("0.6 of 1.1 GB")).toBeTruthy();
    await user.click(main().getByRole("button", { name: "Stop" }));
    expect(await screen.findByRole("button", { name: "Continue" })).toBeTruthy();
  });
});

describe("with a model", () => {
  test("a conversation names it in its head", async () => {
    renderAt("/chat/c1");
    expect((await screen.findByRole("link", { name: "gpt-5-mini" })).getAttribute("href")).toBe("/settings/model");
  });

  test("settings say who has set it and where its key is, and forget both", async () => {
    const { user } = renderAt("/settings");
    await screen.findByText("kept on the server");
    expect(main().getByText("a choice made here")).toBeTruthy();
    await user.click(main().getByRole("button", { name: "Forget it and its key" }));
    await screen.findByText("No model answers yet.");
    expect(screen.queryByText("kept on the server")).toBeNull();
  });
});

test("who may not choose reads who does, in an empty conversation and in the settings", async () => {
  const { api, unmount } = renderAt("/inbox", "empty");
  unmount();
  const get = api.get.bind(api);
  vi.spyOn(api, "get").mockImplementation((path, signal) =>
    path === "/api/model" ? Promise.resolve({ ...NO_MODEL, mayChoose: false } as never) : get(path, signal),
  );
  navigate("/chat");
  render(<App api={api} />);
  await screen.findByText(/What you ask waits until there is one/);
  expect(screen.queryByLabelText("Key")).toBeNull();
  act(() => navigate("/settings/model"));
  await screen.findByText(/Only the operator of this server chooses the model/);
});
