import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import type { RunStatus } from "../events";
import type { RunDocument } from "../wire";
import { fromDocument } from "./document";
import { endRun } from "./fold";
import { isMoving, type RunState } from "./run-state";
import { useWorld } from "./world";
import { pathTo } from "../app/router";

/** Whether a run has new events without a person. */
function isFollowed(status: RunStatus): boolean {
  return isMoving(status) || status === "open";
}

/** A run as it is now: from its stream while it moves, from its document when it rests. */
export function useRun(run: string | undefined): {
  state: RunState | null;
  document: RunDocument | undefined;
  error: Error | undefined;
} {
  const { data: document, error } = useResource<RunDocument>(run ? pathTo("api", "runs", run) : null);
  const row = useWorld((world) => (run ? world.runs[run] : undefined));
  const status = newest(document, row?.status, row?.ended ?? 0);
  const streamed = useStream(run ?? "", run !== undefined && status !== undefined && isFollowed(status));
  const resting = useMemo(() => (document ? fromDocument(document) : null), [document]);
  const isBehind = streamed !== null && (resting === null || isFollowed(resting.status));
  const state = isBehind ? streamed : withCutWords(resting, streamed);
  return { state: state && status && !isBehind ? { ...state, status } : state, document, error };
}

/**
 * A stopped run with the words that its last answer had begun: they are only in its stream, because the journal keeps
 * complete answers.
 */
export function withCutWords(resting: RunState | null, streamed: RunState | null): RunState | null {
  if (resting?.status !== "cancelled" || !streamed) return resting;
  const last = endRun(streamed, "cancelled").blocks.at(-1);
  if (last?.kind !== "text") return resting;
  const isKnown = resting.blocks.some((each) => each.kind === "text" && each.text === last.text);
  return isKnown ? resting : { ...resting, blocks: [...resting.blocks, last] };
}

function newest(document: RunDocument | undefined, seen: RunStatus | undefined, ended: number): RunStatus | undefined {
  if (!document) return seen;
  return document.ended > 0 && ended === 0 ? document.status : (seen ?? document.status);
}

/** The fold of a run's stream while it moves. */
function useStream(run: string, follows: boolean): RunState | null {
  const { streams } = useServices();
  const subscribe = useCallback(
    (reader: () => void) => (follows ? streams.follow(run, reader) : () => undefined),
    [streams, run, follows],
  );
  return useSyncExternalStore(subscribe, () => streams.peek(run));
}
