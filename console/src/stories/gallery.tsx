import { useMemo } from "react";
import type { Api } from "../api/api";
import { makeServices, ServicesContext } from "../app/context";
import { QuestionCard } from "../question/card";
import type { QuestionDocument } from "../wire";
import { ME } from "./data";
import { AGAIN, CONFIRM, LONG, MAIL, MANY, OTHERS, OUTCOME, PUBLISH, STATES } from "./questions";

const CARDS: [string, QuestionDocument, ("open" | "edit" | "deny" | "allow")?][] = [
  ["Open", PUBLISH],
  ["Edit", MAIL, "edit"],
  ["Deny with a reason", PUBLISH, "deny"],
  ["Allow in advance", PUBLISH, "allow"],
  ["A confirmation", CONFIRM],
  ["A confirmation, asked again", AGAIN],
  ["Stale", STATES.stale],
  ["Settled by somebody else", STATES.approved],
  ["Denied by you", STATES.denied],
  ["Expired", STATES.expired],
  ["For somebody else", OTHERS],
  ["Did it happen?", OUTCOME],
  ["Many rows", MANY],
  ["Long text", LONG],
];

/** The question card in all its states. */
export function Gallery({ api }: { api: Api }) {
  const services = useMemo(() => makeServices(api, ME), [api]);
  return (
    <ServicesContext value={services}>
      <main className="body gallery-page" tabIndex={0}>
        <h1>Question card</h1>
        <div className="gallery">
          {CARDS.map(([title, question, mode]) => (
            <section key={title} aria-label={title}>
              <h2>{title}</h2>
              <QuestionCard question={question} {...(mode ? { initialMode: mode } : {})} />
            </section>
          ))}
        </div>
      </main>
    </ServicesContext>
  );
}
