import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NetworkError, type StreamOptions } from "../api/api";
import { Resources } from "../api/resources";
import { CONVERSATIONS } from "../stories/data";
import { PUBLISH } from "../stories/questions";
import { fakeApi } from "../stories/fake";
import { World } from "./world";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A world whose stream is answered by one function after another, the last of them again and again. */
function worldOver(...answers: Answer[]) {
  return worldAt("", ...answers);
}

type Answer = (options: StreamOptions) => Promise<void>;

function worldAt(place: string, ...answers: Answer[]) {
  const api = fakeApi("full", { writesSlowly: false });
  const asked: string[] = [];
  api.stream = (_path, options) => {
    asked.push(options.after ?? "");
    return (answers.length > 1 ? answers.shift()! : answers[0]!)(options);
  };
  const world = new World(api, new Resources(api), place);
  return { api, asked, world };
}

async function breaksOff({ onOpen }: StreamOptions): Promise<void> {
  onOpen?.();
  throw new NetworkError("The connection was lost.");
}

async function tellsAndBreaksOff(options: StreamOptions): Promise<void> {
  options.onOpen?.();
  options.onEvent({ id: "7", event: "start", data: { after: "7" } });
  throw new NetworkError("The connection was lost.");
}

async function staysOpen({ onOpen, signal }: StreamOptions): Promise<void> {
  onOpen?.();
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
}

test("an answer that breaks off at once is no connection: the page says so, and asks less and less often", async () => {
  const { asked, world } = worldOver(tellsAndBreaksOff, breaksOff);
  void world.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(world.state.connection).toBe("here");
  await vi.advanceTimersByTimeAsync(1000);
  expect(world.state.connection).toBe("away");
  await vi.advanceTimersByTimeAsync(29_000);
  expect(asked).toHaveLength(6); // at 0, 1, 3, 7, 15 and 30 seconds
  expect(world.state.connection).toBe("away");
  world.stop();
});

test("after a place that the server no longer knows, the page begins anew from the documents", async () => {
  const { api, asked, world } = worldOver(tellsAndBreaksOff, breaksOff, staysOpen);
  const get = vi.spyOn(api, "get");
  void world.start();
  await vi.advanceTimersByTimeAsync(0);
  world.putQuestion({ ...PUBLISH, id: "lost", status: "open" });
  get.mockClear();
  await vi.advanceTimersByTimeAsync(3000);
  expect(asked).toEqual(["", "7", ""]);
  expect(get).toHaveBeenCalledWith("/api/conversations?limit=100");
  expect(world.state.questions).not.toHaveProperty("lost");
  await vi.advanceTimersByTimeAsync(2000);
  expect(world.state.connection).toBe("here");
  world.stop();
});

test("from the place of the signed-in person on, changes are followed and the documents are read once", async () => {
  const { api, asked, world } = worldAt("3", staysOpen);
  const get = vi.spyOn(api, "get");
  void world.start();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual(["3"]);
  expect(get.mock.calls.map(([path]) => path)).toEqual([
    "/api/questions?status=open&limit=200",
    "/api/conversations?limit=100",
  ]);
  world.stop();
});

test("a conversation that is told while the list is being read is not lost", async () => {
  const told = { ...CONVERSATIONS[0]!.conversation, conversation: "new", active: 9e9 };
  const { api, world } = worldAt("3", async (options) => {
    options.onEvent({ id: "4", event: "conversation", data: told });
    await staysOpen(options);
  });
  const read = api.get.bind(api) as (path: string) => Promise<unknown>;
  vi.spyOn(api, "get").mockImplementation(async (path: string) => {
    const found = await read(path);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return found as never;
  });
  void world.start();
  await vi.advanceTimersByTimeAsync(2000);
  expect(world.state.conversations?.[0]).toBe(told);
  expect(world.state.conversations).toHaveLength(CONVERSATIONS.length + 1);
  world.stop();
});
