import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Api } from "../api/api";
import { ME } from "../stories/data";
import { DETAILS, EVENTS } from "../stories/views";
import { renderAt, renderPart } from "../testing/render";
import { ObjectsScreen } from "./screen";
import { dayId, monthId, monthName, shiftMonth } from "./months";

const EASTER = EVENTS.plan!.find((each) => each.id === "easter")!;
const DAY = new Date(EASTER.at * 1000);
const MONTH = new Date(DAY.getFullYear(), DAY.getMonth(), 1);

test("a month shows what happens on each day, and each day leads to what there is at its end", async () => {
  renderAt(`/objects/plan?month=${monthId(MONTH)}`);
  const easter = (await screen.findByText("Easter bread")).closest("a")!;
  expect(easter.getAttribute("href")).toBe(`/objects/plan/easter?month=${monthId(MONTH)}`);
  const day = easter.closest("td")!.querySelector("a")!;
  expect(day.getAttribute("href")).toBe(`/objects/plan/${dayId(DAY)}?month=${monthId(MONTH)}`);
  expect(day.getAttribute("aria-label")).toMatch(/, 3 events$/);
  expect(day.getAttribute("aria-label")).toContain(day.textContent);
  expect(easter.textContent).toContain("Publish");
});

test("the arrow keys go to the months beside, and a month without events says so", async () => {
  const { user } = renderAt(`/objects/plan?month=${monthId(MONTH)}`);
  await screen.findByText("Easter bread");
  await user.keyboard("{ArrowRight}{ArrowRight}");
  expect(await screen.findByText(`Nothing happens in ${monthName(shiftMonth(MONTH, 2))}.`)).toBeTruthy();
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(await screen.findByText(monthName(MONTH))).toBeTruthy();
});

test("what needs a person stands out in the month and in the list", async () => {
  const sale = EVENTS.plan!.find((each) => each.id === "sale")!;
  renderAt(`/objects/plan?month=${monthId(new Date(sale.at * 1000))}`);
  const refused = (await screen.findByText("Winter sale")).closest("a")!;
  expect(refused.querySelector(".chip.need")?.textContent).toBe("Refused");
  expect(refused.className).toBe("event");
});

test("an object of a view without a list has the whole width", async () => {
  const get = (async () => DETAILS["set"]!) as Api["get"];
  const me = structuredClone(ME);
  me.application.views.push({ kind: "effect", title: "Previews", listed: false, hasChanges: true, hasEvents: false });
  const { container } = renderPart(<ObjectsScreen kind="effect" id="e" />, { me, get });
  expect(await screen.findByRole("heading", { name: "Christmas hours" })).toBeTruthy();
  expect(container.querySelector(".split")?.classList.contains("alone")).toBe(true);
  expect(screen.queryByRole("navigation", { name: "Kinds" })).toBeNull();
});

test("the same objects have a list, which a search narrows", async () => {
  const { user } = renderAt("/objects/plan");
  await user.click(await screen.findByText("List"));
  expect(await screen.findByText("Winter sale")).toBeTruthy();
  expect(screen.getByPlaceholderText("Search calendar")).toBeTruthy();
});
