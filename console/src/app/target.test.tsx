import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import type { Api } from "../api/api";
import { ChatScreen } from "../chat/screen";
import { ObjectsScreen } from "../objects/screen";
import { ME } from "../stories/data";
import { fakeApi } from "../stories/fake";
import { renderPart } from "../testing/render";
import { makeServices } from "./context";
import { Shell } from "./shell";

const SITES = { ...ME, application: { ...ME.application, targets: ["bakery/main", "mill/main"] } };

describe("an application with several targets", () => {
  test("is worked on where the person has chosen, which is remembered", async () => {
    const { user, api } = renderPart(
      <Shell>
        <ChatScreen />
      </Shell>,
      { me: SITES },
    );
    const send = vi.spyOn(api, "send");
    await user.selectOptions(screen.getByLabelText("Works on"), "mill/main");
    await user.type(screen.getByRole("textbox", { name: "Message" }), "hello{Enter}");
    await waitFor(() => expect(send).toHaveBeenCalled());
    expect(send.mock.calls[0]?.[2]).toMatchObject({ prompt: "hello", target: "mill/main" });
    expect(makeServices(api, SITES).target.value).toBe("mill/main");
  });

  test("shows the objects of the first one until another is chosen, unless the address names one", async () => {
    const asked: string[] = [];
    const { get: answer } = fakeApi();
    const get: Api["get"] = (path) => {
      if (path.includes("/api/views/page/")) asked.push(path);
      return answer(path);
    };
    const { unmount } = renderPart(<ObjectsScreen kind="page" id="visit-us" />, { me: SITES, get });
    await screen.findAllByTitle(/Preview of Visit us/);
    unmount();
    window.history.replaceState(null, "", "/objects/page/visit-us?target=mill%2Fmain");
    window.dispatchEvent(new PopStateEvent("popstate"));
    renderPart(<ObjectsScreen kind="page" id="visit-us" />, { me: SITES, get });
    await screen.findAllByTitle(/Preview of Visit us/);
    expect(asked).toEqual([
      "/api/views/page/visit-us?target=bakery%2Fmain",
      "/api/views/page/visit-us?target=mill%2Fmain",
    ]);
  });
});

test("one target is no choice, and is not named to the server", () => {
  const one = { ...ME, application: { ...ME.application, targets: ["bakery/main"] } };
  const { services } = renderPart(<Shell>{null}</Shell>, { me: one });
  expect(screen.queryByLabelText("Works on")).toBeNull();
  expect(services.target.value).toBe("");
});
