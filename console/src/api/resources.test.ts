import { expect, test, vi } from "vitest";
import type { Api } from "./api";
import { Resources } from "./resources";

test("what could not be read is read again once the server answers, and the rest is kept", async () => {
  const get = vi.fn().mockResolvedValueOnce("tools").mockRejectedValueOnce(new Error("away")).mockResolvedValue("page");
  const resources = new Resources({ get } as unknown as Api);
  await resources.read("/api/tools");
  await resources.read("/api/views/page");
  expect(resources.peek("/api/views/page").error).toBeTruthy();
  resources.retryFailed();
  for (const path of ["/api/tools", "/api/views/page"]) resources.ensure(path);
  await vi.waitFor(() => expect(resources.peek("/api/views/page")).toMatchObject({ data: "page", error: undefined }));
  expect(get).toHaveBeenCalledTimes(3);
});
