import { useCallback, useRef, useState } from "react";
import { RefusedError } from "../api/api";
import { useServices } from "../app/context";
import type { NewDecision, QuestionDocument } from "../wire";
import { pathTo } from "../app/router";

export interface Deciding {
  decide: (request: NewDecision) => Promise<boolean>;
  isBusy: boolean;
  error: string;
}

/**
 * Answer a question. A request that is sent twice decides once. If somebody else was faster, or what the question
 * shows has changed, the server sends its newest state, and the card shows that.
 */
export function useDecide(question: QuestionDocument): Deciding {
  const { api, world } = useServices();
  const keys = useRef(new Map<string, string>());
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const decide = useCallback(
    async (request: NewDecision) => {
      const name = JSON.stringify(request);
      const key = keys.current.get(name) ?? crypto.randomUUID();
      keys.current.set(name, key);
      setBusy(true);
      setError("");
      try {
        const path = `/api/questions/${encodeURIComponent(question.id)}/decision`;
        const answer = await api.send<unknown>("POST", path, request, key);
        const settled =
          asQuestion(answer) ?? (await api.get<QuestionDocument>(pathTo("api", "questions", question.id)));
        world.putQuestion(settled);
        return true;
      } catch (problem) {
        const newer = problem instanceof RefusedError && problem.status === 409 ? asQuestion(problem.document) : null;
        if (newer) world.putQuestion(newer);
        else setError(problem instanceof Error ? problem.message : "It could not be sent.");
        return false;
      } finally {
        setBusy(false);
      }
    },
    [api, world, question.id],
  );
  return { decide, isBusy, error };
}

function asQuestion(document: unknown): QuestionDocument | null {
  const found = document as (Partial<QuestionDocument> & { question?: unknown }) | null;
  if (!found || typeof found !== "object") return null;
  if (typeof found.id === "string" && found.sentence) return found as QuestionDocument;
  return "question" in found ? asQuestion(found.question) : null;
}
