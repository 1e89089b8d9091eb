import { afterEach, expect, test, vi } from "vitest";
import { NetworkError } from "./api";
import { httpApi } from "./http";

afterEach(() => void vi.unstubAllGlobals());

test("an answer that breaks off is a lost connection", async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) });
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body)));
  await expect(httpApi().get("/api/runs")).rejects.toBeInstanceOf(NetworkError);
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response(new ReadableStream({ start: (c) => c.error(new TypeError("terminated")) }))),
  );
  await expect(httpApi().send("POST", "/api/runs", {})).rejects.toBeInstanceOf(NetworkError);
});

test("an answer without a body is nothing", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("")));
  expect(await httpApi().send("DELETE", "/api/grants/g")).toBeNull();
});
