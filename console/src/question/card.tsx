/** The card of a question, in the composer's place, in the inbox and on the phone. */
import { useEffect, useId, useRef, useState } from "react";
import { useServices } from "../app/context";
import { useKeys } from "../app/keys";
import { Link, pathTo } from "../app/router";
import { useWorld } from "../live/world";
import { Icon } from "../parts/icon";
import { Problem } from "../parts/notes";
import type { QuestionDocument } from "../wire";
import { AllowCard } from "./allow";
import { DenyCard } from "./deny";
import { EditCard } from "./edit";
import { OutcomeCard } from "./outcome";
import { OthersCard, OverCard } from "./over";
import { Ask, Deadline, Details, Head } from "./parts";
import { type Deciding, useDecide } from "./use-decide";
import { asQuestion, isReplaced, replacementOf, verbOf } from "./words";

type Mode = "open" | "edit" | "deny" | "allow";

export function QuestionCard({ question, initialMode = "open" }: { question: QuestionDocument; initialMode?: Mode }) {
  const deciding = useDecide(question);
  const [mode, setMode] = useState<Mode>(initialMode);
  const [wasOpen] = useState(question.status === "open");
  const [last, setLast] = useState<Mode>("open");
  const back = () => {
    setLast(mode);
    setMode("open");
  };
  useKeys(mode === "open" ? {} : { Escape: back });
  const isStale = useWorld((world) => isReplaced(question, world.questions));
  if (isStale) return <StaleCard question={question} />;
  if (question.status !== "open") return <OverCard question={question} wasOpen={wasOpen} />;
  if (!question.may.approve && !question.may.deny) return <OthersCard question={question} />;
  if (question.about === "outcome") return <OutcomeCard question={question} deciding={deciding} />;
  if (question.may.kind === "confirm") return <ConfirmCard question={question} deciding={deciding} />;
  if (mode === "edit") return <EditCard question={question} deciding={deciding} onBack={back} />;
  if (mode === "deny") return <DenyCard question={question} deciding={deciding} onBack={back} />;
  if (mode === "allow") return <AllowCard question={question} deciding={deciding} onBack={back} />;
  return <ApproveCard question={question} deciding={deciding} onMode={setMode} cameFrom={last} />;
}

function ApproveCard({
  question,
  deciding,
  onMode,
  cameFrom,
}: {
  question: QuestionDocument;
  deciding: Deciding;
  onMode: (mode: Mode) => void;
  cameFrom: Mode;
}) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.querySelector<HTMLElement>(`[data-mode="${cameFrom}"]`)?.focus(), [cameFrom]);
  const yes = useRef<HTMLButtonElement>(null);
  const { approve, deny, edit } = question.may;
  useKeys({
    y: () => yes.current?.focus(),
    n: () => deny && onMode("deny"),
    e: () => edit && onMode("edit"),
  });
  return (
    <article ref={card} className="q approve" aria-labelledby={id}>
      <Head icon="shield" right={<Deadline question={question} />}>
        Approval
      </Head>
      <Ask question={question} titleId={id}>
        <Problem text={deciding.error} />
      </Ask>
      <Details question={question} />
      <footer>
        {approve && (
          <button
            ref={yes}
            className="b yes"
            disabled={deciding.isBusy}
            onClick={() => void deciding.decide({ approved: true })}
          >
            Approve once <kbd>Y</kbd>
          </button>
        )}
        {edit && (
          <button className="b" data-mode="edit" onClick={() => onMode("edit")}>
            Edit <kbd>E</kbd>
          </button>
        )}
        {deny && (
          <button className="b" data-mode="deny" onClick={() => onMode("deny")}>
            Deny… <kbd>N</kbd>
          </button>
        )}
        <span className="grow wide" />
        {approve && (
          <button className="b bare" data-mode="allow" onClick={() => onMode("allow")}>
            Allow in advance…
          </button>
        )}
      </footer>
    </article>
  );
}

/** A step of the acting person: no band, the act itself as the yes, its opposite as the no. */
function ConfirmCard({ question, deciding }: { question: QuestionDocument; deciding: Deciding }) {
  const id = useId();
  const { me } = useServices();
  const yes = useRef<HTMLButtonElement>(null);
  const no = useRef<HTMLButtonElement>(null);
  useKeys({ y: () => yes.current?.focus(), n: () => no.current?.focus() });
  return (
    <article className="q confirm" aria-labelledby={id}>
      <Head icon="person" right={<Deadline question={question} />}>
        Your own step, {me.name}
      </Head>
      <Ask question={question} titleId={id}>
        <Problem text={deciding.error} />
      </Ask>
      <Details question={question} />
      <footer>
        <button
          ref={yes}
          className="b yes"
          disabled={deciding.isBusy}
          onClick={() => void deciding.decide({ approved: true, kind: "confirm" })}
        >
          {verbOf(question.sentence)} <kbd>Y</kbd>
        </button>
        <button
          ref={no}
          className="b"
          disabled={deciding.isBusy}
          onClick={() => void deciding.decide({ approved: false })}
        >
          Leave it as it is <kbd>N</kbd>
        </button>
      </footer>
    </article>
  );
}

/** What was shown has changed: this question can no longer be approved. */
function StaleCard({ question }: { question: QuestionDocument }) {
  const id = useId();
  const { me } = useServices();
  const isConfirm = question.may.kind === "confirm";
  const next = useWorld((world) => replacementOf(question.id, Object.values(world.questions)));
  return (
    <article className={isConfirm ? "q confirm" : "q approve"} aria-labelledby={id}>
      <Head icon={isConfirm ? "person" : "shield"}>{isConfirm ? `Your own step, ${me.name}` : "Approval"}</Head>
      <p className="note need strip">
        <Icon name="alert" />
        <span>
          <b>What this question shows has changed since.</b> It shows the old state and cannot be{" "}
          {isConfirm ? "confirmed" : "approved"}. The question with the new state waits for an answer.
        </span>
      </p>
      <div className="ask">
        <h2 id={id}>{asQuestion(question.sentence)}</h2>
      </div>
      <Details question={question} />
      {next && (
        <footer>
          <Link className="b yes" to={pathTo("inbox", next.id)}>
            See the new state
          </Link>
        </footer>
      )}
    </article>
  );
}
