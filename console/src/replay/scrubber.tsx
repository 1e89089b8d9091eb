import { HashLink } from "../app/router";
import type { Step, StepKind } from "./steps";

const MARKS: Record<StepKind, string> = { said: "", model: "m", call: "", wait: "w", end: "m" };

/** The steps on a line. Each is an address. */
export function Scrubber({ steps, index }: { steps: Step[]; index: number }) {
  const last = Math.max(1, steps.length - 1);
  return (
    <div className="steps">
      <span className="track" aria-hidden="true">
        <i style={{ width: `${(index / last) * 100}%` }} />
      </span>
      <ol>
        {steps.map((step, place) => (
          <li key={step.id} style={{ left: `${(place / last) * 100}%` }}>
            <HashLink
              hash={step.id}
              replace
              className={MARKS[step.kind]}
              title={step.sentence.text}
              aria-label={`Step ${place + 1}, ${step.sentence.text}`}
              aria-current={place === index ? "step" : undefined}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}
