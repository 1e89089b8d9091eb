import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { CONFIRM } from "../stories/questions";
import { renderPart } from "../testing/render";
import { Batch } from "./batch";

const NAMES = ["Jobs", "Old prices", "Visit us"];
const STEPS = NAMES.map((name, index) => ({
  ...CONFIRM,
  id: `k${index}`,
  sentence: { text: `Move to trash the page ${name}`, parts: [] },
  summary: `Visitors of ${name} are led to Cakes.`,
  rows: [{ where: "", before: "", after: "" }],
  asked: CONFIRM.asked + index,
}));

test("own steps alike are no approval: nothing is ticked, and each row says what its card says", () => {
  renderPart(<Batch questions={STEPS} />);
  expect(screen.getByText(/Your own steps, Ada: 3 alike/)).toBeTruthy();
  expect(document.body.textContent).not.toContain("Approv");
  expect(screen.getAllByRole<HTMLInputElement>("checkbox").filter((each) => each.checked)).toEqual([]);
  expect(screen.getByText("Visitors of Jobs are led to Cakes.")).toBeTruthy();
  expect(screen.getAllByRole("columnheader")).toHaveLength(2);
});

test("own steps are confirmed in the order in which they were asked, whatever was ticked first", async () => {
  const { user, api } = renderPart(<Batch questions={STEPS.toReversed()} />);
  const send = vi.spyOn(api, "send");
  await user.click(screen.getByRole("checkbox", { name: /Visit us/ }));
  await user.click(screen.getByRole("checkbox", { name: /Jobs/ }));
  await user.click(screen.getByRole("button", { name: "Confirm 2, leave 1" }));
  await waitFor(() => expect(send).toHaveBeenCalledTimes(3));
  expect(send.mock.calls.map(([, path, body]) => [path, body])).toEqual([
    ["/api/questions/k0/decision", { approved: true, kind: "confirm" }],
    ["/api/questions/k1/decision", { approved: false }],
    ["/api/questions/k2/decision", { approved: true, kind: "confirm" }],
  ]);
});
