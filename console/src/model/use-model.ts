import { useCallback, useEffect, useState } from "react";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import type { ChooseModel, ModelDocument } from "../wire";

const MODEL = "/api/model";
const WEIGHTS = "/api/model/weights";
const EACH_MS = 1000;

/** The model that answers, and what can be chosen in its place. */
export function useModel() {
  const { api, resources } = useServices();
  const { data: model, error, reload } = useResource<ModelDocument>(MODEL);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [isOfKey, setOfKey] = useState(false);

  const send = useCallback(
    async (method: "POST" | "DELETE", path: string, body?: ChooseModel | { name: string }): Promise<boolean> => {
      setBusy(true);
      setProblem("");
      setOfKey(body !== undefined && "key" in body);
      try {
        resources.put(MODEL, await api.send<ModelDocument>(method, path, body));
        return true;
      } catch (refused) {
        setProblem(refused instanceof Error ? refused.message : "It did not work.");
        return false;
      } finally {
        setBusy(false);
      }
    },
    [api, resources],
  );

  return {
    model,
    error,
    reload,
    isBusy,
    problem,
    /** Whether `problem` is one of a key that was tried, and stands at its fields. */
    isOfKey,
    choose: (choice: ChooseModel) => send("POST", MODEL, choice),
    forget: () => send("DELETE", MODEL),
    fetchWeights: (name: string) => send("POST", WEIGHTS, { name }),
    stopFetching: () => send("DELETE", WEIGHTS),
  };
}

export type Choosing = ReturnType<typeof useModel>;

/** Read the model again while its weights are fetched. A page calls this once, for all that show the model. */
export function useFollowedWeights({ model, reload }: Pick<Choosing, "model" | "reload">): void {
  const isFetching = model?.weights.some((each) => each.state === "fetching") ?? false;
  useEffect(() => {
    if (!isFetching) return;
    const timer = setInterval(reload, EACH_MS);
    return () => clearInterval(timer);
  }, [isFetching, reload]);
}

/** How a model is called in one line, by its name. A script is always called a script. */
export function modelWords(name: string): string {
  return name === "rehearsal" || name.startsWith("scripted:") ? "A script" : name.replace(/^[^:]*:/, "");
}
