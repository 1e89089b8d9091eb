import { useState } from "react";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { isMoving, type RunState } from "../live/run-state";
import { useWorld } from "../live/world";
import { Note, Problem } from "../parts/notes";
import { useNow } from "../parts/time";
import { moment } from "../parts/words";
import type { RunDocument } from "../wire";

/** What "Go on" says to the agent, which reads what was done and said before it. */
export const GO_ON = "Go on where you stopped.";

interface Props {
  state: RunState;
  document?: RunDocument | undefined;
  /** Ask the agent to go on after an answer that was not completed; only at the end of a conversation. */
  onGoOn?: (() => void) | undefined;
}

/** Why an answer is not complete, and how it goes on. */
export function Ending({ state, document, onGoOn }: Props) {
  const isAway = useWorld((world) => world.connection === "away");
  const goOn = onGoOn && (
    <button className="b tiny" onClick={onGoOn}>
      Go on
    </button>
  );
  if (isMoving(state.status) && isAway) {
    return (
      <Note icon="load">
        <b>Interrupted: the server does not answer.</b> The answer goes on when it is back.
      </Note>
    );
  }
  if (state.status === "stalled" || state.status === "scheduled") return <Resting state={state} />;
  if (state.status === "cancelled") {
    return (
      <Note icon="stop" action={goOn}>
        <b>Stopped before the answer was complete.</b> What was done before stays.
      </Note>
    );
  }
  if (state.status !== "failed") return <Continued document={document} />;
  const action = (
    <>
      {goOn}
      <Link className="b tiny" to={pathTo("runs", state.run)}>
        Open the run
      </Link>
    </>
  );
  return (
    <Note tone="fail" icon="x" action={action}>
      <b>It failed.</b> {state.error || document?.error}
    </Note>
  );
}

/** Why a run rests, and until when. One that rests because something went wrong can be tried at once. */
function Resting({ state }: { state: RunState }) {
  const { api } = useServices();
  const now = useNow(60);
  const [problem, setProblem] = useState("");
  const until = state.rest?.retryAt ? ` until ${moment(state.rest.retryAt, now)}` : "";
  function tryNow() {
    api.send("POST", pathTo("api", "runs", state.run, "resume")).catch((error: Error) => setProblem(error.message));
  }
  const action =
    state.status === "stalled" ? (
      <button className="b tiny" onClick={tryNow}>
        Try now
      </button>
    ) : null;
  return (
    <>
      <Note icon="pause" action={action}>
        <b>Rests{until}.</b> {state.rest?.reason} {until && "It goes on by itself."}
      </Note>
      <Problem text={problem} />
    </>
  );
}

/** That the process of an answer ended in the middle of it, and another went on. */
function Continued({ document }: { document: RunDocument | undefined }) {
  const now = useNow(60);
  if (!document?.continuedAt) return null;
  return (
    <p className="meta">The server stopped in the middle of this. It went on at {moment(document.continuedAt, now)}.</p>
  );
}
