/** The runs of one conversation, oldest first, with those that were just sent. */
import { useMemo } from "react";
import { useResource } from "../api/resources";
import type { ConversationHistory, QuestionDocument } from "../wire";
import { selectOpen, useWorld } from "./world";

export function useConversation(id: string | undefined) {
  const { data, error, reload } = useResource<ConversationHistory>(
    id ? `/api/conversations/${encodeURIComponent(id)}` : null,
  );
  const seen = useWorld((world) => world.runs);
  const runs = useMemo(() => {
    const known = (data?.runs ?? []).map((each) => each.run);
    const newer = Object.values(seen).filter((row) => id && row.conversation === id && !known.includes(row.run));
    return [...known, ...newer.sort((a, b) => a.opened - b.opened).map((each) => each.run)];
  }, [data, seen, id]);
  return { conversation: data?.conversation, rows: data?.runs, runs, error, reload };
}

/** The open questions of a conversation, oldest first. */
export function useQuestionsOf(conversation: string | undefined): QuestionDocument[] {
  const questions = useWorld((world) => world.questions);
  return useMemo(
    () => (conversation ? selectOpen(questions).filter((each) => each.conversation === conversation) : []),
    [questions, conversation],
  );
}
