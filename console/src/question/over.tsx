import { type ReactNode, useId } from "react";
import { withQuery } from "../api/api";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { useWorld } from "../live/world";
import { parsedArguments } from "../parts/arguments";
import { useNow } from "../parts/time";
import { Icon } from "../parts/icon";
import { textOf } from "../parts/form";
import { moment, readable } from "../parts/words";
import type { Listed, QuestionDocument } from "../wire";
import { Deadline, Details, Head } from "./parts";
import { againOf, asQuestion, quoted, replacementOf, settledWords } from "./words";

/** A question that is settled: by whom and when, or that nobody answered. The card keeps its place. */
export function OverCard({
  question,
  wasOpen,
  action,
}: {
  question: QuestionDocument;
  wasOpen: boolean;
  action?: ReactNode;
}) {
  const id = useId();
  const { me } = useServices();
  const now = useNow(60);
  const { decision, status } = question;
  const edited = useWorld((world) => Object.values(world.questions).find((each) => each.edits === question.id));
  const again = useReplacement(question);
  const isYes = decision?.approved === true;
  const isMine = decision?.by === me.name;
  const when = decision
    ? `, ${moment(decision.at, now)}`
    : status === "expired"
      ? `, by ${moment(question.expires, now)}`
      : "";
  return (
    <article className="q over" aria-labelledby={id}>
      <Head
        icon={isYes ? "check" : status === "expired" ? "clock" : "x"}
        right={wasOpen && decision && !isMine ? "you had it open" : undefined}
      >
        {settledWords(question, me)}
        {when}
      </Head>
      <div className="ask">
        <h2 id={id}>{quoted(question.sentence)}</h2>
        {decision?.reason && <blockquote>“{decision.reason}”</blockquote>}
        {again ? <Again question={again} /> : <p>{outcomeWords(question, wasOpen && !isMine)}</p>}
        {edited && (
          <p>
            The edited call is asked about again:{" "}
            <Link to={pathTo("inbox", edited.id)}>{asQuestion(edited.sentence)}</Link>
          </p>
        )}
      </div>
      <Details question={question} isOpen={false} />
      <footer>
        {action}
        <Link className="b bare" to={`${pathTo("runs", question.run)}#${encodeURIComponent(question.call)}`}>
          Open in the run
        </Link>
      </footer>
    </article>
  );
}

/** The question that was asked in place of a decided one, whose decision therefore did not count. */
function useReplacement({ id, decision, run }: QuestionDocument): QuestionDocument | undefined {
  const known = useWorld((world) => replacementOf(id, Object.values(world.questions)));
  const isRead = decision?.approved && !known;
  const { data } = useResource<Listed<QuestionDocument>>(
    isRead ? withQuery("/api/questions", { status: "all", run, limit: 1000 }) : null,
  );
  return known ?? replacementOf(id, data?.items ?? []);
}

function Again({ question }: { question: QuestionDocument }) {
  const { again } = question;
  const isChange = !again || again.kind === "state";
  return (
    <p className="note need">
      <Icon name="alert" />
      <span>
        {question.about === "outcome" ? (
          <b>{againOf(question)}</b>
        ) : (
          <>
            <b>Not run: {isChange ? "what it shows has changed" : again.reason}.</b> It is asked again:
          </>
        )}{" "}
        <Link to={pathTo("inbox", question.id)}>{asQuestion(question.sentence)}</Link>
      </span>
    </p>
  );
}

/** The arguments of a call, each as people read it; none if they were erased. */
function argumentsOf(text: string): Record<string, string> {
  const given = Object.entries(parsedArguments(text));
  return Object.fromEntries(given.map(([name, each]) => [name, textOf(each)]));
}

/** What was edited: "title “Christmas Eve”". */
function editedWords(question: QuestionDocument): string {
  const before = argumentsOf(question.arguments);
  const after = argumentsOf(question.decision?.arguments ?? "{}");
  const edited = Object.entries(after).filter(([name, value]) => value !== before[name]);
  return edited.map(([name, value]) => `${readable(name)} “${value}”`).join(", ");
}

function outcomeWords(question: QuestionDocument, wasOpen: boolean): string {
  const { status, decision } = question;
  const mine = wasOpen && decision ? " Your answer was not needed and is not recorded." : "";
  if (status === "expired") return "It was not done. The agent was told.";
  if (status === "cancelled") return "The run was stopped before anybody answered. It was not done.";
  if (!decision) return "It no longer needs an answer.";
  if (decision.arguments) {
    const edited = editedWords(question);
    return `Edited${edited && `: ${edited}`}. The rules see the edited call again.${mine}`;
  }
  return decision.approved ? `${approvedWords(question)}${mine}` : `It was not done. The agent was told.${mine}`;
}

/** An answer is no promise: what was shown may change before the call begins. */
function approvedWords({ about }: QuestionDocument): string {
  return about === "outcome"
    ? "The agent was told."
    : "It counts for one call, as it was shown. If that changes before the call runs, it is asked again.";
}

/** A question that somebody else answers. */
export function OthersCard({ question, action }: { question: QuestionDocument; action?: ReactNode }) {
  const id = useId();
  const { me } = useServices();
  return (
    <article className="q over" aria-labelledby={id}>
      <Head icon="person" right={<Deadline question={question} />}>
        Waits for somebody with the right to decide
      </Head>
      <div className="ask">
        <h2 id={id}>{asQuestion(question.sentence)}</h2>
        <p>
          {question.fourEyes && question.asker === me.name
            ? "You asked for it, so another person answers. You can write on meanwhile."
            : "It needs a right that you do not have. You can write on meanwhile."}
        </p>
      </div>
      <Details question={question} />
      {action && <footer>{action}</footer>}
    </article>
  );
}
