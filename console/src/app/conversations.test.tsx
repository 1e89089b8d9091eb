import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderAt } from "../testing/render";

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
