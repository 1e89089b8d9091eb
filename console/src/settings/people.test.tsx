import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { RefusedError } from "../api/api";
import { ME } from "../stories/data";
import { renderAt, renderPart } from "../testing/render";
import { meaningOf } from "./permissions";
import { SettingsScreen } from "./screen";

function dialog() {
  return within(screen.getByRole("dialog"));
}

describe("people", () => {
  test("are listed with their roles, and those of config.toml are not changed here", async () => {
    const { user } = renderAt("/settings/people");
    await screen.findByText("editor, publisher");
    await user.click(screen.getByRole("button", { name: "More about Ada" }));
    expect(
      screen.getAllByRole("menuitem", { hidden: true }).filter((each) => each.closest("[aria-label*=Ada]")),
    ).toHaveLength(1);
  });

  test("are listed with what their roles allow, in words", async () => {
    renderAt("/settings/people");
    const row = (await screen.findByText("editor, publisher")).closest("tr")!;
    expect(row.textContent).toContain("publish pages");
    expect(row.textContent).not.toContain("site:publish");
  });

  test.each([
    ["*", "everything"],
    ["cms:publish", "publish in cms"],
    ["cms:*", "everything in cms"],
    ["site:publish", "publish pages"],
    ["site:publish@bakery/main", "publish pages, for bakery/main"],
    ["cms:publish@bakery/main", "publish in cms, for bakery/main"],
    ["pay", "pay"],
  ])("the permission %s is read as: %s", (permission, words) => {
    const declared = [
      { name: "*", meaning: "everything" },
      { name: "site:publish", meaning: "publish pages" },
    ];
    expect(meaningOf(permission, declared)).toBe(words);
  });

  test("a new person gets roles, and a link that is shown once", async () => {
    const { user, api } = renderAt("/settings/people");
    const send = vi.spyOn(api, "send");
    await user.click(await screen.findByRole("button", { name: "Add a person…" }));
    await user.type(dialog().getByLabelText("Name"), "Yusuf Demir");
    await user.click(dialog().getByLabelText("editor"));
    await user.click(dialog().getByRole("button", { name: "Add" }));
    await user.click(await screen.findByRole("button", { name: "Make a link" }));
    expect((await screen.findByLabelText<HTMLInputElement>("Link")).value).toContain("/login/link?secret=s3cret");
    expect(send.mock.calls.map((each) => each.slice(0, 3))).toEqual([
      ["POST", "/api/people", { name: "Yusuf Demir", roles: ["editor"] }],
      ["POST", "/api/people/Yusuf%20Demir/link", undefined],
    ]);
  });

  test("a refusal stands in the dialog, which stays", async () => {
    const { user, api } = renderAt("/settings/people");
    vi.spyOn(api, "send").mockRejectedValue(
      new RefusedError(409, { error: "there is a person 'x' already", code: "" }),
    );
    await user.click(await screen.findByRole("button", { name: "Add a person…" }));
    await user.type(dialog().getByLabelText("Name"), "x");
    await user.click(dialog().getByRole("button", { name: "Add" }));
    expect((await screen.findByRole("alert")).textContent).toBe("there is a person 'x' already");
  });

  test("stand in the settings of those who may manage them, and tokens in those of people with an account", () => {
    renderPart(<SettingsScreen />, { me: { ...ME, account: false, can: { ...ME.can, managePeople: false } } });
    expect(screen.queryByRole("link", { name: "People" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Tokens" })).toBeNull();
  });
});

describe("tokens", () => {
  test("a new token has what was ticked, and its secret is shown until the dialog closes", async () => {
    const { user, api } = renderAt("/settings/tokens");
    const send = vi.spyOn(api, "send");
    await user.click(await screen.findByRole("button", { name: "New token…" }));
    await user.type(dialog().getByLabelText("What it is for"), "Till");
    await user.click(dialog().getByLabelText(/see runs of others/));
    await user.click(dialog().getByRole("button", { name: "Make the token" }));
    expect((await screen.findByLabelText<HTMLInputElement>("Token")).value).toBe("remit_s3cret");
    expect(send.mock.calls[0]?.slice(0, 3)).toEqual([
      "POST",
      "/api/people/Ada/tokens",
      { label: "Till", permissions: ["runs:read"], days: 30 },
    ]);
    await user.click(dialog().getByRole("button", { name: "Close" }));
    expect(document.body.innerHTML).not.toContain("remit_s3cret");
  });

  test("is revoked after a word about what that does", async () => {
    const { user, api } = renderAt("/settings/tokens");
    const send = vi.spyOn(api, "send");
    await user.click(await screen.findByRole("button", { name: "Revoke Till" }));
    await user.click(dialog().getByRole("button", { name: "Revoke the token" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(send.mock.calls[0]?.slice(0, 2)).toEqual(["DELETE", "/api/people/Ada/tokens/t1"]);
  });
});

describe("sharing", () => {
  test("a conversation is shared with a person by name, and the sharing is ended in its row", async () => {
    const { user, api } = renderAt("/chat/c1");
    const send = vi.spyOn(api, "send");
    await screen.findAllByText("Between the years");
    await user.click(screen.getByRole("menuitem", { name: "Share…", hidden: true }));
    await user.type(dialog().getByLabelText("Name of a person"), "Marta Amsel");
    await user.click(dialog().getByRole("button", { name: "Share" }));
    await user.selectOptions(await dialog().findByLabelText("Access of Marta Amsel"), "Stop sharing");
    expect(send.mock.calls.map((each) => each[2])).toEqual([
      { principal: "Marta Amsel", access: "read" },
      { principal: "Marta Amsel", access: "" },
    ]);
  });
});
