import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { RefusedError } from "../api/api";
import { renderPart } from "../testing/render";
import { Composer } from "./composer";

test("a run that one may not stop says so where one pressed Stop", async () => {
  const refused = new RefusedError(403, { error: "bob may not cancel run r of ada", code: "REQUEST_DENIED" });
  const { user } = renderPart(
    <Composer name="t" placeholder="Write on" onSend={async () => {}} onStop={() => Promise.reject(refused)} />,
  );
  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect((await screen.findByRole("alert")).textContent).toBe("bob may not cancel run r of ada");
});
