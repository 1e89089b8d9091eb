import { useCallback, useState } from "react";
import { useServices } from "../app/context";
import { navigate } from "../app/router";
import type { QuestionDocument } from "../wire";

/** Decide several questions, each by itself. One that cannot be decided says why and does not stop the others. */
export function useBatch() {
  const { api, world } = useServices();
  const [progress, setProgress] = useState<number | null>(null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const decide = useCallback(
    async (yes: QuestionDocument[], no: QuestionDocument[]) => {
      const from = window.location.pathname;
      setErrors({});
      setProgress(0);
      const failed: Record<string, string> = {};
      const requests = [...yes.map((each) => [each, true] as const), ...no.map((each) => [each, false] as const)].sort(
        ([a], [b]) => a.asked - b.asked,
      );
      for (const [index, [question, approved]] of requests.entries()) {
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
