import { useState } from "react";
import { useServices } from "../app/context";

/** Ask the server for a change, show why it was refused, and read again what it concerns. */
export function useAct(concerns: string) {
  const { api, resources } = useServices();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function act<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T | null> {
    setProblem("");
    setBusy(true);
    try {
      return await api.send<T>(method, path, body);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It could not be done.");
      return null;
    } finally {
      resources.invalidate(concerns);
      setBusy(false);
    }
  }

  return { act, problem, isBusy };
}
