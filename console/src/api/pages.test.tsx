import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { makeServices, ServicesContext } from "../app/context";
import { ME } from "../stories/data";
import { fakeApi } from "../stories/fake";
import { usePages } from "./pages";

const PATH = "/api/runs?limit=2";
const keyOf = (name: string) => name;

/** Pages of a list of names, two at a time, that the test changes. */
function pagesOver(names: string[]) {
  const list = { names, isAway: false, asked: 0 };
  const api = fakeApi("full", { writesSlowly: false });
  api.get = (async (path: string) => {
    list.asked += 1;
    if (list.isAway) throw new Error("The server does not answer.");
    const before = new URLSearchParams(path.split("?")[1]).get("before");
    const start = before === null ? 0 : list.names.indexOf(before) + 1;
    const items = list.names.slice(start, start + 2);
    return { items, next: start + 2 < list.names.length ? items.at(-1) : "" };
  }) as typeof api.get;
  const services = makeServices(api, ME);
  const { result } = renderHook(() => usePages<string>(PATH, keyOf), {
    wrapper: ({ children }) => <ServicesContext value={services}>{children}</ServicesContext>,
  });
  const shows = (items: string[]) => vi.waitFor(() => expect(result.current.items).toEqual(items));
  const readMore = () => act(async () => result.current.readMore());
  const change = () => act(async () => services.resources.invalidate("/api/runs"));
  return { list, result, shows, readMore, change };
}

test("a list is read page by page to its end", async () => {
  const { result, shows, readMore } = pagesOver(["c", "b", "a"]);
  await shows(["c", "b"]);
  await readMore();
  await shows(["c", "b", "a"]);
  expect(result.current.hasMore).toBe(false);
});

test("what moves from the first page to the next one stays in the list", async () => {
  const { list, shows, readMore, change } = pagesOver(["c", "b", "a"]);
  await shows(["c", "b"]);
  await readMore();
  list.names = ["d", "c", "b", "a"];
  await change();
  await shows(["d", "c", "b", "a"]);
});

test("a first page that does not join what was read begins the list anew", async () => {
  const { list, result, shows, readMore, change } = pagesOver(["c", "b", "a"]);
  await shows(["c", "b"]);
  await readMore();
  list.names = ["g", "f", "e", "d", "c", "b", "a"];
  await change();
  await shows(["g", "f"]);
  expect(result.current.hasMore).toBe(true);
});

test("a page that cannot be read is asked for once, and again when the reader tries again", async () => {
  const { list, result, shows, readMore } = pagesOver(["c", "b", "a"]);
  await shows(["c", "b"]);
  list.isAway = true;
  await readMore();
  expect([list.asked, result.current.moreError?.message]).toEqual([2, "The server does not answer."]);
  list.isAway = false;
  await readMore();
  await shows(["c", "b", "a"]);
  expect(result.current.moreError).toBeUndefined();
});
