import { useCallback, useState } from "react";
import { useServices } from "../app/context";
import { navigate } from "../app/router";
import type { QuestionDocument } from "../wire";

/**
 * Decide several questions in their order, each by itself: a yes if it is ticked, and a no if not. One that
 * cannot be decided says why and does not stop the others.
 */
export function useBatch() {
  const { api, world } = useServices();
  const [progress, setProgress] = useState<number | null>(null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const decide = useCallback(
    async (questions: QuestionDocument[], ticked: ReadonlySet<string>) => {
      const from = window.location.pathname;
      setErrors({});
      setProgress(0);
      const failed: Record<string, string> = {};
      for (const [index, question] of questions.entries()) {
        const approved = ticked.has(question.id);
        const path = `/api/questions/${encodeURIComponent(question.id)}`;
        try {
          const request = approved && question.may.kind === "confirm" ? { approved, kind: "confirm" } : { approved };
          await api.send("POST", `${path}/decision`, request, `${question.id}-${approved}`);
          world.putQuestion(await api.get<QuestionDocument>(path));
        } catch (problem) {
          failed[question.id] = problem instanceof Error ? problem.message : "It could not be decided.";
        }
        setProgress(index + 1);
      }
      setErrors(failed);
      setProgress(null);
      // Do not navigate if the person has left this page.
      if (Object.keys(failed).length === 0 && window.location.pathname === from) navigate("/inbox", { replace: true });
    },
    [api, world],
  );
  return { decide, progress, errors };
}
