/** What was read from the server, by path. A screen that is opened again shows it at once and reads it anew. */
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { useServices } from "../app/context";
import type { Api } from "./api";

export interface Resource<T> {
  data: T | undefined;
  error: Error | undefined;
}

interface Entry extends Resource<unknown> {
  isStale: boolean;
  reading: Promise<void> | null;
}

const NOTHING: Resource<never> = { data: undefined, error: undefined };

export class Resources {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();

  constructor(readonly api: Api) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  peek<T>(path: string): Resource<T> {
    return (this.#entries.get(path) ?? NOTHING) as Resource<T>;
  }

  /** Read a path, unless it was read and nothing has changed since. */
  ensure(path: string): void {
    const entry = this.#entries.get(path);
    if (!entry || (entry.isStale && !entry.reading)) void this.read(path);
  }

  async read(path: string): Promise<void> {
    const known = this.#entries.get(path);
    const mine: Entry = { data: known?.data, error: undefined, isStale: false, reading: null };
    mine.reading = this.api.get(path).then(
      (data) => this.#settle(path, mine, data, undefined),
      (error: Error) => this.#settle(path, mine, known?.data, error),
    );
    this.#entries.set(path, mine);
    await mine.reading;
  }

  /** Put a newer document in place of one that was read. */
  put<T>(path: string, data: T): void {
    this.#entries.set(path, { data, error: undefined, isStale: false, reading: null });
    this.#tell();
  }

  /** Read again what begins with a path, when a screen shows it. */
  invalidate(prefix: string): void {
    this.#markStale((path) => path.startsWith(prefix));
  }

  /** Read again what could not be read, when a screen shows it. */
  retryFailed(): void {
    this.#markStale((_, entry) => entry.error !== undefined);
  }

  #markStale(isMeant: (path: string, entry: Entry) => boolean): void {
    for (const [path, entry] of this.#entries) {
      if (isMeant(path, entry)) this.#entries.set(path, { ...entry, isStale: true, reading: null });
    }
    this.#tell();
  }

  #settle(path: string, mine: Entry, data: unknown, error: Error | undefined): void {
    const now = this.#entries.get(path);
    if (now?.reading !== mine.reading && now?.isStale !== true) return;
    this.#entries.set(path, { data, error, isStale: now?.isStale === true && now !== mine, reading: null });
    this.#tell();
  }

  #tell(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

/** Read a path, and again when it changes. Without a path nothing is read. */
export function useResource<T>(path: string | null): Resource<T> & { reload: () => void } {
  const { resources } = useServices();
  const entry = useSyncExternalStore(resources.subscribe, () => (path ? resources.peek<T>(path) : NOTHING));
  useEffect(() => {
    if (path) resources.ensure(path);
  }, [path, entry, resources]);
  const reload = useCallback(() => {
    if (path) void resources.read(path);
  }, [path, resources]);
  return { data: entry.data, error: entry.error, reload };
}
