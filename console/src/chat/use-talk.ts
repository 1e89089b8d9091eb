import { useCallback, useMemo, useState } from "react";
import { useRequestKey } from "../api/use-request-key";
import { useServices } from "../app/context";
import { isMoving } from "../live/run-state";
import { useWorld } from "../live/world";
import type { FileDocument, RunRowDocument } from "../wire";
import { pathTo } from "../app/router";

const NONE: RunRowDocument[] = [];
/** The prompts that this page has sent, by run: they are shown before the run is read. */
const SENT = new Map<string, string>();

/** Send to a conversation and stop its run. The same message that is sent again after a lost answer makes one run. */
export function useTalk(conversation: string, agent: string, target = "", known: RunRowDocument[] = NONE) {
  const { api, resources } = useServices();
  const [, setCount] = useState(0);
  const { keyOf, forget } = useRequestKey();
  const rows = useWorld((world) => world.runs);
  const moving = useMemo(() => {
    const mine = [...known, ...Object.values(rows).filter((row) => row.conversation === conversation)];
    return mine.map((row) => rows[row.run] ?? row).findLast((row) => isMoving(row.status))?.run;
  }, [known, rows, conversation]);

  const send = useCallback(
    async (text: string, files: FileDocument[] = []) => {
      const request = { prompt: text, conversation, agent, target, files };
      const { run } = await api.send<{ run: string }>("POST", "/api/runs", request, keyOf(request));
      forget();
      SENT.set(run, text);
      setCount((before) => before + 1);
      resources.invalidate(`/api/conversations/${encodeURIComponent(conversation)}`);
    },
    [api, resources, conversation, agent, target, keyOf, forget],
  );

  const stop = useCallback(
    async (run: string) => {
      await api.send("POST", pathTo("api", "runs", run, "cancel"));
    },
    [api],
  );

  return { send, stop, moving, prompts: Object.fromEntries(SENT) as Record<string, string> };
}
