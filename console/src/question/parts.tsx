/** The parts of a question card: its head, its words, the rows that change, the exact call. */
import { Fragment, type ReactNode } from "react";
import { useServices } from "../app/context";
import { Link } from "../app/router";
import { objectAddress } from "../objects/page-frame";
import { Fold } from "../parts/fold";
import { Icon, type IconName } from "../parts/icon";
import { Json } from "../parts/json";
import { Left, useNow } from "../parts/time";
import { count, moment } from "../parts/words";
import type { QuestionDocument } from "../wire";
import { Rows } from "./rows";
import { againOf, asQuestion, becauseOf, ofSilence, whoMayAnswer } from "./words";

export function Head({ icon, children, right }: { icon: IconName; children: ReactNode; right?: ReactNode }) {
  return (
    <header>
      <Icon name={icon} small={icon === "check"} tone={icon === "check" ? "done" : ""} />
      <span className="grow">{children}</span>
      {right && <span className="left">{right}</span>}
    </header>
  );
}

export function Deadline({ question }: { question: QuestionDocument }) {
  if (question.expires === 0) return null;
  return (
    <>
      <Icon name="clock" />
      <Left until={question.expires} />
    </>
  );
}

/** What happens, what it means, why it is asked, who may answer, what silence means, and the words that led to it. */
export function Ask({
  question,
  titleId,
  children,
}: {
  question: QuestionDocument;
  titleId: string;
  children?: ReactNode;
}) {
  const { me } = useServices();
  const now = useNow(60);
  const words = [becauseOf(question), whoMayAnswer(question, me), ofSilence(question, now)].filter(Boolean).join(" ");
  const again = againOf(question);
  return (
    <div className="ask">
      {again && (
        <p className="note need">
          <Icon name="alert" />
          <span>
            <b>{again}</b> An earlier answer does not count.
          </span>
        </p>
      )}
      <h2 id={titleId}>{asQuestion(question.sentence)}</h2>
      {question.consequence && <p>{question.consequence}</p>}
      {question.summary && question.summary !== question.sentence.text && <Summary text={question.summary} />}
      <Effect question={question} />
      <p>{words}</p>
      {question.quote && (
        <blockquote>
          “{question.quote}”{" "}
          <span className="meta">
            {question.asker === me.name ? "You" : question.asker}, {moment(question.asked, now)}
          </span>
        </blockquote>
      )}
      {children}
    </div>
  );
}

/** A link to what the call would do: the object of the application that shows it, or an address elsewhere. */
function Effect({ question: { shows, link, target } }: { question: QuestionDocument }) {
  const { me } = useServices();
  const words = "See what it would do";
  if (shows && me.application.views.some((each) => each.kind === shows.kind))
    return (
      <p>
        <Link to={objectAddress(shows.kind, shows.id, target)}>{words}</Link>
      </p>
    );
  if (!/^https?:\/\//.test(link)) return null;
  return (
    <p>
      <a href={link} target="_blank" rel="noreferrer">
        {words}
      </a>
    </p>
  );
}

/** A preview of a few lines. */
function Summary({ text }: { text: string }) {
  const lines = text.split("\n").filter((line) => line.trim());
  return (
    <p>
      {lines.map((line, index) => (
        <Fragment key={index}>
          {index > 0 && <br />}
          {line}
        </Fragment>
      ))}
    </p>
  );
}

export function Details({ question, isOpen = true }: { question: QuestionDocument; isOpen?: boolean }) {
  return (
    <>
      {question.rows.length > 0 && <Rows question={question} isOpen={isOpen} />}
      {question.plan.map((planned) => (
        <Fold key={planned.call} title={planned.sentence.text} meta={<span className="meta">approved with it</span>}>
          <p>{planned.summary}</p>
          <Json text={planned.arguments} label="Arguments" />
        </Fold>
      ))}
      <Fold title="Exact call" meta={<span className="meta">{exactWords(question)}</span>}>
        <p className="meta mono">{question.tool}</p>
        <Json text={question.arguments} label="Arguments" />
        <p className="meta mono digest">{question.digest}</p>
        {question.rule && <p className="meta">Rule: {question.rule}</p>}
      </Fold>
    </>
  );
}

function exactWords({ tool, arguments: text }: QuestionDocument): string {
  try {
    return `${tool}, ${count(Object.keys(JSON.parse(text) as object).length, "argument")}`;
  } catch {
    return tool;
  }
}
