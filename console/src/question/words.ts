/** The words of a question: what is asked, why, of whom, and what silence means. */
import { moment } from "../parts/words";
import type { Me, QuestionDocument, SentenceDocument } from "../wire";

/** The sentence as a question. Names stand in quotation marks, because all of a heading is bold. */
export function asQuestion(sentence: SentenceDocument): string {
  const text = quoted(sentence);
  if (/[.!?:]$/.test(text)) return text;
  return text.includes(": ") ? `${text}.` : `${text}?`;
}

export function quoted({ text, parts }: SentenceDocument): string {
  if (parts.length === 0) return text;
  return parts.map(([part, isName]) => (isName && !/^[“"«]/.test(part) ? `“${part}”` : part)).join("");
}

/** The act alone, for the button of a confirmation: the words before the first name. */
export function verbOf({ text, parts }: SentenceDocument): string {
  const words = (parts.find(([, isName]) => !isName)?.[0] ?? text).trim();
  const short = words.replace(/[:,(].*$/, "").replace(/\s+(to|of|in|on|from|by|with|for|named|called)$/, "");
  return short.length > 0 && short.length <= 32 ? short : "Do it";
}

/** Why a question is asked; nothing if that says only that a confirmation is a confirmation. */
export function becauseOf({ why, tool, may }: QuestionDocument): string {
  const first = why.replace(/[;.]?\s*$/, "");
  const reason = first.startsWith(`${tool} `) ? `it ${first.slice(tool.length + 1)}` : first;
  const isPlain = may.kind === "confirm" && reason === "it asks for a confirmation";
  return reason && !isPlain ? `Asked because ${reason}.` : "";
}

/** Why the same is asked another time, as a sentence; empty for a first question. */
export function againOf({ again }: QuestionDocument): string {
  return again ? `Asked again, because ${again.reason}.` : "";
}

export function whoMayAnswer(question: QuestionDocument, me: Me): string {
  const mine = question.may.approve || question.may.deny;
  if (question.needs === "confirm" && question.asker === me.name) return "";
  if (mine) return "You may answer.";
  if (question.fourEyes && question.asker === me.name) return "You asked for it, so another person answers.";
  return "Somebody with the right to decide answers.";
}

export function ofSilence(question: QuestionDocument, now: number): string {
  return question.expires > 0
    ? `No answer by ${moment(question.expires, now)}: not done.`
    : "It waits without a limit.";
}

/** Who answered, and how: "Marta approved", "Nobody answered". */
export function settledWords(question: QuestionDocument, me: Me): string {
  const decision = question.decision;
  if (question.status === "expired") return "Nobody answered in time";
  if (question.status === "cancelled") return "The run was stopped";
  if (!decision) return question.status === "closed" ? "No longer needed" : "Settled";
  const who = decision.by === me.name ? "You" : decision.by;
  const did =
    question.about === "outcome"
      ? decision.approved
        ? "said that it happened"
        : "said that it did not happen"
      : decision.kind === "confirm"
        ? decision.approved
          ? "confirmed"
          : "said no"
        : decision.approved
          ? "approved"
          : "denied";
  return `${who} ${did}${decision.grant ? " in advance" : ""}`;
}

/** The question that was asked in place of another one. */
export function replacementOf(id: string, questions: QuestionDocument[]): QuestionDocument | undefined {
  return questions.find((each) => each.replaces === id);
}

/** Whether another question has replaced this one, because what it shows has changed. */
export function isReplaced(question: QuestionDocument, all: Record<string, QuestionDocument>): boolean {
  return (
    question.status !== "open" &&
    question.decision === null &&
    replacementOf(question.id, Object.values(all)) !== undefined
  );
}
