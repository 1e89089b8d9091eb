/** The questions of the inbox: by rule, and those alike in one batch. */
import { capitalize } from "../parts/words";
import { verbOf } from "../question/words";
import type { QuestionDocument } from "../wire";

export interface Entry {
  /** One question, or several of one run and tool that are decided in one table. */
  questions: QuestionDocument[];
}

export interface Group {
  rule: string;
  entries: Entry[];
  count: number;
}

const ALIKE = 3;

export function groupsOf(questions: QuestionDocument[]): Group[] {
  const groups = new Map<string, QuestionDocument[]>();
  for (const question of questions) {
    const rule =
      question.about === "outcome"
        ? "Did it happen?"
        : question.may.kind === "confirm"
          ? "Your own steps"
          : capitalize(question.rule);
    groups.set(rule, [...(groups.get(rule) ?? []), question]);
  }
  return [...groups].map(([rule, members]) => ({ rule, entries: entriesOf(members), count: members.length }));
}

function entriesOf(questions: QuestionDocument[]): Entry[] {
  const alike = new Map<string, QuestionDocument[]>();
  for (const question of questions) {
    const isAlone = question.about === "outcome" || question.status !== "open";
    const key = isAlone ? question.id : `${question.run} ${question.tool} ${question.may.kind}`;
    alike.set(key, [...(alike.get(key) ?? []), question]);
  }
  return [...alike.values()].flatMap((members) =>
    members.length >= ALIKE ? [{ questions: members }] : members.map((each) => ({ questions: [each] })),
  );
}

export function batchTitle(questions: QuestionDocument[]): string {
  return `${verbOf(questions[0]!.sentence)}, ${questions.length} times`;
}
