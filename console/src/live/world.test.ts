import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NetworkError, type StreamOptions } from "../api/api";
import { Resources } from "../api/resources";
import { CONVERSATIONS, ME } from "../stories/data";
import { PUBLISH } from "../stories/questions";
import { fakeApi } from "../stories/fake";
import type { Listed } from "../wire";
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
  const world = new World(api, new Resources(api), { ...ME, place });
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
  expect(get).toHaveBeenCalledWith("/api/conversations?owner=self&limit=50");
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
    "/api/conversations?owner=self&limit=50",
    "/api/conversations?owner=others&limit=50",
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
  expect(world.state.conversations?.rows[0]).toBe(told);
  expect(world.state.conversations?.rows).toHaveLength(CONVERSATIONS.length + 1);
  world.stop();
});

/** A list of so many items that is read by offsets. */
function pagesOf<T>(items: T[], path: string): Listed<T> {
  const query = new URLSearchParams(path.split("?")[1]);
  const [start, limit] = [Number(query.get("before") ?? query.get("after")), Number(query.get("limit"))];
  return { items: items.slice(start, start + limit), next: start + limit < items.length ? String(start + limit) : "" };
}

test("a thousand conversations of others hide none of one's own, and are read page by page", async () => {
  const own = { ...CONVERSATIONS[0]!.conversation, conversation: "own", owner: ME.name, active: 1 };
  const others = Array.from({ length: 1000 }, (_, at) => ({
    ...own,
    conversation: `o${at}`,
    owner: "x",
    active: 9e9 - at,
  }));
  const { api, world } = worldAt("3", staysOpen);
  vi.spyOn(api, "get").mockImplementation((path: string) => {
    if (path.startsWith("/api/questions")) return Promise.resolve({ items: [], next: "" } as never);
    return Promise.resolve(pagesOf(path.includes("owner=self") ? [own] : others, path) as never);
  });
  void world.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(world.state.conversations?.rows.at(-1)).toBe(own);
  expect(world.state.conversations?.rows).toHaveLength(51);
  await Promise.all([world.readMoreConversations("others"), world.readMoreConversations("others")]);
  await world.readMoreConversations("self");
  expect(world.state.conversations?.rows).toHaveLength(101);
  await world.readLists();
  expect(world.state.conversations?.rows).toHaveLength(101);
  expect(world.state.conversations?.next).toEqual({ self: "", others: "100" });
  world.stop();
});

test("more open questions than one page are all known, up to a thousand, and the others are read when asked for", async () => {
  const all = Array.from({ length: 1201 }, (_, at) => ({ ...PUBLISH, id: `q${at}`, asked: at }));
  const { api, world } = worldAt("3", staysOpen);
  vi.spyOn(api, "get").mockImplementation((path: string) => {
    if (path.startsWith("/api/conversations")) return Promise.resolve({ items: [], next: "" } as never);
    const found = path.includes("conversation=talk") ? all.slice(1200) : all;
    return Promise.resolve(pagesOf(found, path) as never);
  });
  void world.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(Object.keys(world.state.questions)).toHaveLength(1000);
  await world.readQuestionsOf("talk");
  expect(world.state.questions).toHaveProperty("q1200");
  await world.readMoreQuestions();
  expect([Object.keys(world.state.questions).length, world.state.moreQuestions]).toEqual([1201, "1200"]);
  await world.readMoreQuestions();
  expect(world.state.moreQuestions).toBe("");
  world.stop();
});

test("a page of a browser that is signed in otherwise by now follows nothing more, and says so", async () => {
  const { api, asked, world } = worldOver(tellsAndBreaksOff, staysOpen);
  const get = api.get.bind(api) as (path: string) => Promise<unknown>;
  vi.spyOn(api, "get").mockImplementation((path: string) =>
    path === "/api/me" ? Promise.resolve({ ...ME, name: "Grace", csrf: "hers" } as never) : (get(path) as never),
  );
  void world.start();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual([""]);
  expect(world.state.connection).toBe("changed");
});

test("a conversation whose name has a slash is read again when its run goes on", async () => {
  const { api, world } = worldAt("3", async (options) => {
    await Promise.resolve();
    options.onEvent({ id: "4", event: "run", data: { run: "r", conversation: "a/b" } });
    await staysOpen(options);
  });
  const get = vi.spyOn(api, "get").mockResolvedValue({ items: [], next: "" } as never);
  await world.resources.read("/api/conversations/a%2Fb");
  void world.start();
  await vi.advanceTimersByTimeAsync(0);
  world.resources.ensure("/api/conversations/a%2Fb");
  expect(get.mock.calls.filter(([path]) => path === "/api/conversations/a%2Fb")).toHaveLength(2);
  world.stop();
});
