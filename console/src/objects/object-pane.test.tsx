import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Api } from "../api/api";
import { DETAILS } from "../stories/views";
import { renderPart } from "../testing/render";
import type { ObjectDocument } from "../wire";
import { ObjectPane } from "./object-pane";

function show(detail: Partial<ObjectDocument>) {
  const get = (async () => ({ ...DETAILS["set"]!, ...detail })) as Api["get"];
  return renderPart(<ObjectPane kind="set" id="s" />, { get });
}

test("changes to come stand beside what is", async () => {
  show({});
  expect(await screen.findByRole("heading", { name: /^As it is/ })).toBeTruthy();
  expect(screen.getByRole("heading", { name: /^After the changes/ })).toBeTruthy();
});

test("changes that have been made stand between what was and what is", async () => {
  const pages = [{ title: "Jobs", before: "/preview.html?live", after: "", note: "" }];
  show({ isPast: true, pages });
  expect(await screen.findByRole("heading", { name: /^Before the changes/ })).toBeTruthy();
  expect(screen.getByRole("heading", { name: /^As it is/ })).toBeTruthy();
  expect(document.body.textContent).toContain("The page went away.");
  expect(document.body.textContent).not.toContain("goes away");
});

test("what else there is to say about an object with pages is one look away", async () => {
  const day = { title: "On this day", text: "", columns: ["Time", "What"], rows: [["09:00", "Easter bread"]] };
  const { user } = show({ sections: [day] });
  await user.click(await screen.findByRole("button", { name: "On this day" }));
  expect(screen.getByText("Easter bread")).toBeTruthy();
  expect(screen.queryByRole("heading", { name: /^As it is/ })).toBeNull();
});
