/** Replay: a run again, step by step, and whether it is identical. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useResource } from "../api/resources";
import { useKeys } from "../app/keys";
import { Link, navigate, pathTo, usePlace } from "../app/router";
import { titleOfRun } from "../live/document";
import { useRun } from "../live/use-run";
import { Icon } from "../parts/icon";
import { Failed, Loading, Note } from "../parts/notes";
import { useTitle } from "../parts/use-title";
import { clock, count } from "../parts/words";
import type { ReplayDocument } from "../wire";
import { Scrubber } from "./scrubber";
import { StepPanes } from "./step-panes";
import { stepsOf } from "./steps";

const PLAY_MILLISECONDS = 900;

export function ReplayScreen({ run }: { run: string }) {
  const { document, error } = useRun(run);
  const steps = useMemo(() => (document ? stepsOf(document) : []), [document]);
  const { hash } = usePlace();
  const found = steps.findIndex((each) => each.id === hash);
  const index = found < 0 ? Math.max(0, steps.length - 1) : found;
  const [isPlaying, setPlaying] = useState(false);
  useTitle(`Replay of ${document ? titleOfRun(document) : "a run"}`);

  function go(to: number) {
    const step = steps[Math.min(Math.max(to, 0), steps.length - 1)];
    if (step) navigate(`${pathTo("runs", run, "replay")}#${encodeURIComponent(step.id)}`, { replace: true });
  }

  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    if (!isPlaying) return;
    if (index >= steps.length - 1) return setPlaying(false);
    const timer = setTimeout(() => latest.current(index + 1), PLAY_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isPlaying, index, steps.length]);
  useKeys({ ArrowLeft: () => go(index - 1), ArrowRight: () => go(index + 1) });

  if (!document) return <div className="body">{error ? <Failed error={error} /> : <Loading rows={5} />}</div>;
  const step = steps[index];
  return (
    <>
      <header className="top">
        <Link className="b bare" to={pathTo("runs", run)} aria-label="Back to the run">
          <Icon name="left" />
        </Link>
        <h1 className="one-line grow">
          Replay <span className="meta">of “{titleOfRun(document)}”</span>
        </h1>
        <Verdict run={run} />
      </header>
      <section className="scrub" aria-label="Steps">
        <Scrubber steps={steps} index={index} />
        <div className="play">
          <button className="b bare" aria-label="One step back" disabled={index === 0} onClick={() => go(index - 1)}>
            <Icon name="back" />
          </button>
          <button
            className="b"
            aria-label={isPlaying ? "Pause" : "Play"}
            onClick={() => {
              if (!isPlaying && index >= steps.length - 1) go(0);
              setPlaying(!isPlaying);
            }}
          >
            <Icon name={isPlaying ? "pause" : "play"} />
          </button>
          <span className="num meta" role="status">
            Step {index + 1} of {steps.length}
            {step && ` · ${clock(step.at, true)}`}
          </span>
          <span className="grow" />
          <span className="meta wide">
            <kbd>←</kbd> <kbd>→</kbd> step
          </span>
        </div>
      </section>
      {step && <StepPanes document={document} steps={steps} index={index} />}
    </>
  );
}

/** Whether the run, executed again from its journal, is the same to the byte. */
function Verdict({ run }: { run: string }) {
  const { data, error } = useResource<ReplayDocument>(pathTo("api", "runs", run, "replay"));
  if (error) return <span className="meta">It could not be replayed: {error.message}</span>;
  if (!data) {
    return (
      <span className="verdict meta" role="status">
        <span className="spin" />
        Replaying
      </span>
    );
  }
  if (!data.identical) {
    return (
      <Note tone="need" icon="alert">
        <b>It differs.</b> {data.difference}
      </Note>
    );
  }
  return (
    <span className="verdict" role="status">
      <Icon name="check" small tone="done" />
      Identical{data.compared > 0 && `, ${count(data.compared, "item")} of its journal`}
    </span>
  );
}
