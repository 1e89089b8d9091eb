import { useEffect, useId, useRef, useState } from "react";
import { useRequestKey } from "../api/use-request-key";
import { useServices } from "../app/context";
import { Problem } from "../parts/notes";
import type { QuestionDocument } from "../wire";
import { Head } from "./parts";
import type { Deciding } from "./use-decide";
import { verbOf } from "./words";

const HOURS = [
  { value: 1, label: "for an hour" },
  { value: 8, label: "for 8 hours" },
  { value: 24, label: "for a day" },
  { value: 168, label: "for a week" },
];

/** Approve this call and the next ones like it: what, for whom, how often and until when are spelt out. */
export function AllowCard({
  question,
  deciding,
  onBack,
}: {
  question: QuestionDocument;
  deciding: Deciding;
  onBack: () => void;
}) {
  const id = useId();
  const { api, resources } = useServices();
  const [count, setCount] = useState(10);
  const times = useRef<HTMLInputElement>(null);
  useEffect(() => times.current?.focus(), []);
  const isCount = Number.isInteger(count) && count >= 1 && count <= 1000;
  const [hours, setHours] = useState(8);
  const [error, setError] = useState("");
  const { keyOf } = useRequestKey();
  const act = verbOf(question.sentence);
  const verb = ofAny(act.charAt(0).toLowerCase() + act.slice(1));

  async function send() {
    setError("");
    try {
      const grant = {
        tool: question.tool,
        principal: question.asker,
        count,
        expiresIn: hours * 3600,
        target: question.target,
        permission: question.permissions[0] ?? "",
      };
      await api.send("POST", "/api/grants", grant, keyOf(grant));
      resources.invalidate("/api/grants");
      await deciding.decide({ approved: true });
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be allowed.");
    }
  }

  return (
    <form
      className="q approve"
      aria-labelledby={`${id}-h`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Head icon="shield">Approval, and the next like it</Head>
      <div className="ask">
        <h2 id={`${id}-h`}>
          Let the runs of {question.asker} {verb} without asking?
        </h2>
        <div className="terms">
          <label>
            At most{" "}
            <span className="field">
              <input
                ref={times}
                type="number"
                min={1}
                max={1000}
                aria-invalid={!isCount}
                value={Number.isNaN(count) ? "" : count}
                onChange={(event) => setCount(event.target.valueAsNumber)}
              />
            </span>{" "}
            times
          </label>
          <label>
            <span className="hide">Until</span>
            <select className="field" value={hours} onChange={(event) => setHours(Number(event.target.value))}>
              {HOURS.map((each) => (
                <option key={each.value} value={each.value}>
                  {each.label}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p>
          Only this tool{question.target && `, only on ${question.target}`}, with any arguments. It ends sooner if the
          tool or the policy changes. You can end it under Policy, Grants.
        </p>
        {!isCount && <Problem text="Say how many times: a whole number from 1 to 1000." />}
        <Problem text={error || deciding.error} />
      </div>
      <footer>
        <button className="b yes" disabled={deciding.isBusy || !isCount}>
          Approve this and allow {isCount ? count : "…"}
        </button>
        <button type="button" className="b" onClick={onBack}>
          Back
        </button>
      </footer>
    </form>
  );
}

/** An act on any object, for a grant that names none: "delete the page" becomes "delete any page". */
function ofAny(act: string): string {
  return act.replace(/\bthe( \S+)$/, "any$1");
}
