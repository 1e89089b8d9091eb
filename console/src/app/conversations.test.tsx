import { act, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Whose } from "../live/conversations";
import { CONVERSATIONS, ME } from "../stories/data";
import { renderAt, renderPart } from "../testing/render";
import type { ConversationDocument } from "../wire";
import { RailConversations } from "./conversations";

test("the rail has one's own conversations first, and says whose the others are", async () => {
  renderAt("/chat");
  const rail = await screen.findByRole("navigation", { name: "Main" });
  await within(rail).findByText("Christmas hours");
  const own = within(rail).getByRole("link", { name: /^Christmas hours/ });
  const other = within(rail).getByRole("link", { name: /^A page for the new course/ });
  const heading = within(rail).getByRole("heading", { name: "Of other people" });
  expect(other.textContent).toContain("Marta Amsel");
  expect(own.textContent).not.toContain("Ada");
  expect(own.compareDocumentPosition(heading) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(heading.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

test("the head of another person's conversation says whose it is", async () => {
  renderAt("/chat/c8");
  const main = await screen.findByRole("main");
  expect(await within(main).findByText("of Marta Amsel")).toBeTruthy();
});

test("on the phone, too, the conversations of others have their owners", async () => {
  renderAt("/more");
  const list = await screen.findByRole("navigation", { name: "More pages" });
  const other = await within(list).findByRole("link", { name: /A page for the new course/ });
  expect(other.textContent).toContain("Marta Amsel");
});

test("of a thousand conversations the rail draws those in view, one's own first, and reads on when asked to", async () => {
  const named = (name: string, owner: string): ConversationDocument => ({
    ...CONVERSATIONS[0]!.conversation,
    conversation: name,
    title: name,
    owner,
  });
  const lists = {
    self: Array.from({ length: 2 }, (_, at) => named(`own ${at}`, ME.name)),
    others: Array.from({ length: 1000 }, (_, at) => named(`other ${at}`, "Marta Amsel")),
  };
  const get = vi.fn((path: string) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const rows = lists[query.get("owner") as Whose] ?? [];
    const [start, limit] = [Number(query.get("before")), Number(query.get("limit"))];
    const next = start + limit < rows.length ? String(start + limit) : "";
    return Promise.resolve({ items: rows.slice(start, start + limit), next } as never);
  });
  const { user, services } = renderPart(<RailConversations />, { get });
  await act(() => services.world.readLists());
  const links = screen.getAllByRole("link", { name: /^(own|other) / });
  expect(links.slice(0, 3).map((each) => each.textContent)).toEqual([
    expect.stringContaining("own 0"),
    expect.stringContaining("own 1"),
    expect.stringContaining("other 0"),
  ]);
  expect(links.length).toBeLessThan(45);
  for (let page = 0; page < 19; page++) await user.click(screen.getByRole("button", { name: "Show more" }));
  expect(services.world.state.conversations?.rows).toHaveLength(1002);
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  expect(screen.getAllByRole("link", { name: /^(own|other) / }).length).toBeLessThan(45);
});
