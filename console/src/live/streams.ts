/** The streams of runs that move. Each run is followed once, however many parts of the page show it. */
import { type Api, RefusedError } from "../api/api";
import type { Resources } from "../api/resources";
import type { AguiEvent } from "../events";
import { fold } from "./fold";
import { emptyRun, type RunState } from "./run-state";
import { pathTo } from "../app/router";

interface Followed {
  state: RunState | null;
  after: string;
  readers: Set<() => void>;
  control: AbortController | null;
  frame: number;
}

const MOST_PAUSE = 10_000;

export class RunStreams {
  readonly #runs = new Map<string, Followed>();

  constructor(
    readonly api: Api,
    readonly resources: Resources,
  ) {}

  peek(run: string): RunState | null {
    return this.#runs.get(run)?.state ?? null;
  }

  /** Follow a run until its stream ends or nobody reads it. `reader` is called when its state has changed. */
  follow(run: string, reader: () => void): () => void {
    const followed = this.#runs.get(run) ?? { state: null, after: "", readers: new Set(), control: null, frame: 0 };
    this.#runs.set(run, followed);
    followed.readers.add(reader);
    if (!followed.control) void this.#read(run, followed);
    return () => {
      followed.readers.delete(reader);
      if (followed.readers.size > 0) return;
      followed.control?.abort();
      followed.control = null;
    };
  }

  async #read(run: string, followed: Followed): Promise<void> {
    const control = (followed.control = new AbortController());
    const { signal } = control;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.api.stream(pathTo("api", "runs", run, "events"), {
          signal,
          after: followed.after,
          onEvent: ({ id, data }) => {
            failures = 0;
            this.#take(run, followed, id, data as AguiEvent);
          },
        });
        break;
      } catch (error) {
        if (signal.aborted || error instanceof RefusedError) break;
        await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** failures, MOST_PAUSE)));
      }
    }
    if (followed.control === control) followed.control = null;
    if (!signal.aborted) void this.resources.read(pathTo("api", "runs", run));
  }

  /** Events that arrive together are drawn together. */
  #take(run: string, followed: Followed, id: string, event: AguiEvent): void {
    if (id) followed.after = id;
    followed.state = fold(followed.state ?? emptyRun(run), event);
    followed.frame ||= requestAnimationFrame(() => {
      followed.frame = 0;
      followed.readers.forEach((reader) => reader());
    });
  }
}
