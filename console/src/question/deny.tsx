import { useEffect, useId, useRef, useState } from "react";
import { Problem } from "../parts/notes";
import type { QuestionDocument } from "../wire";
import { Deadline, Head } from "./parts";
import type { Deciding } from "./use-decide";
import { asQuestion } from "./words";

const OFTEN = ["Not now", "The wrong one", "Ask me first what I want"];

/** A no with a reason. The agent reads it. */
export function DenyCard({
  question,
  deciding,
  onBack,
}: {
  question: QuestionDocument;
  deciding: Deciding;
  onBack: () => void;
}) {
  const id = useId();
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="q approve"
      aria-labelledby={`${id}-h`}
      onSubmit={(event) => {
        event.preventDefault();
        void deciding.decide({ approved: false, reason });
      }}
    >
      <Head icon="shield" right={<Deadline question={question} />}>
        Approval
      </Head>
      <div className="ask">
        <h2 id={`${id}-h`}>{asQuestion(question.sentence)}</h2>
        <div className="edit">
          <label htmlFor={id}>Why not? The agent reads this.</label>
          <span className="field">
            <input
              ref={input}
              id={id}
              value={reason}
              placeholder="Say what should be different"
              onChange={(event) => setReason(event.target.value)}
            />
          </span>
        </div>
        <p className="sug">
          {OFTEN.map((each) => (
            <button key={each} type="button" className="b tiny" onClick={() => setReason(each)}>
              {each}
            </button>
          ))}
        </p>
        <Problem text={deciding.error} />
      </div>
      <footer>
        <button className="b" disabled={deciding.isBusy}>
          Deny
        </button>
        <button type="button" className="b bare" onClick={onBack}>
          Back
        </button>
      </footer>
    </form>
  );
}
