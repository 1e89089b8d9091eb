import type { CallOutcome } from "../wire";
import { type Api, RefusedError } from "./api";

/** Call a tool by hand. It takes the path of every call, so it may wait for a person, or fail with the error of the tool. */
export async function callTool(
  api: Api,
  tool: string,
  args: Record<string, unknown>,
  target = "",
  key: string = crypto.randomUUID(),
): Promise<CallOutcome> {
  const request = { arguments: args, target };
  try {
    return await api.send<CallOutcome>("POST", `/api/tools/${encodeURIComponent(tool)}`, request, key);
  } catch (problem) {
    const outcome = problem instanceof RefusedError ? (problem.document as Partial<CallOutcome> | null) : null;
    if (outcome?.run) return outcome as CallOutcome;
    throw problem;
  }
}
