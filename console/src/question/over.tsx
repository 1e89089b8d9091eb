import { type ReactNode, useId } from "react";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { useWorld } from "../live/world";
import { useNow } from "../parts/time";
import { isSame, textOf, type Values } from "../parts/form";
import { moment, readable } from "../parts/words";
import type { QuestionDocument } from "../wire";
import { Deadline, Details, Head } from "./parts";
import { asQuestion, quoted, settledWords } from "./words";

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
  const again = useWorld((world) => Object.values(world.questions).find((each) => each.edits === question.id));
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
        <p>{outcomeWords(question, wasOpen && !isMine)}</p>
        {again && (
          <p>
            The edited call is asked about again:{" "}
            <Link to={pathTo("inbox", again.id)}>{asQuestion(again.sentence)}</Link>
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

/** The arguments of a call, each as people read it; none if they were erased. */
function argumentsOf(text: string): Values {
  try {
    const given = Object.entries(JSON.parse(text) as Values);
    return Object.fromEntries(given.map(([name, each]) => [name, textOf(each)]));
  } catch {
    return {};
  }
}

/** What was edited: "title “Christmas Eve”". */
function editedWords(question: QuestionDocument): string {
  const before = argumentsOf(question.arguments);
  const after = argumentsOf(question.decision?.arguments ?? "{}");
  const edited = Object.entries(after).filter(([name, value]) => !isSame(value, before[name]));
  return edited.map(([name, value]) => `${readable(name)} “${String(value)}”`).join(", ");
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
  return decision.approved
    ? `The call runs once, as it was shown.${mine}`
    : `It was not done. The agent was told.${mine}`;
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
