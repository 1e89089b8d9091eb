/** One run: its course as lanes, what it changed, and the inspector of what is picked. */
import { type ReactNode, useMemo, useState } from "react";
import { useServices } from "../app/context";
import { Link, navigate, pathTo, usePlace } from "../app/router";
import { isDirect, titleOfRun, walk } from "../live/document";
import { useRun } from "../live/use-run";
import { Icon } from "../parts/icon";
import { Menu } from "../parts/menu";
import { Failed, Loading, Note } from "../parts/notes";
import { ReceiptCard } from "../parts/receipt";
import { useNow } from "../parts/time";
import { useTitle } from "../parts/use-title";
import { capitalize, count, duration, exactTime, moment, money, STATUS_WORDS, tokens } from "../parts/words";
import type { RunDocument } from "../wire";
import { Inspector } from "./inspector";
import { courseOf } from "./lanes";
import { Lanes } from "./lanes-view";
import { StateMark } from "./state-mark";

export function RunScreen({ run }: { run: string }) {
  const { document, error } = useRun(run);
  const now = useNow(document && document.ended === 0 ? 2 : 60);
  const { hash } = usePlace();
  useTitle(document ? titleOfRun(document) : "Run");
  if (!document) return <div className="body">{error ? <Failed error={error} /> : <Loading rows={6} />}</div>;
  const current = hash || firstOf(document);
  return (
    <>
      <RunHeader document={document} />
      <Sum document={document} now={now} />
      <div className="split run">
        <section className="pane lanes" tabIndex={0} aria-label="Course of the run">
          <Cause document={document} now={now} />
          <Lanes document={document} now={document.ended ? document.ended : now} current={current} />
          <div className="made">
            <ReceiptCard run={document.run} receipt={document.receipt} target={document.target} />
          </div>
        </section>
        <Inspector key={current} document={document} current={current} />
      </div>
    </>
  );
}

/** What is inspected when nothing is picked: the first failure, or the last change, or the first call. */
function firstOf(document: RunDocument): string {
  const calls = document.root ? walk(document.root).slice(1) : [];
  const failed = calls.find((each) => each.state === "failed");
  const changed = calls.findLast((each) => each.changed.length > 0);
  return (failed ?? changed ?? calls[0] ?? (isDirect(document) ? document.root : null))?.call ?? "";
}

function RunHeader({ document }: { document: RunDocument }) {
  const { api } = useServices();
  const [error, setError] = useState("");
  const path = pathTo("api", "runs", document.run);
  const isOver = document.ended > 0;
  async function send(action: "cancel" | "resume") {
    try {
      await api.send("POST", `${path}/${action}`);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be sent.");
    }
  }
  return (
    <>
      <header className="top">
        <Link className="b bare" to="/runs" aria-label="Back to runs">
          <Icon name="left" />
        </Link>
        <h1 className="grow one-line">{titleOfRun(document)}</h1>
        {document.conversation && (
          <Link className="b bare wide" to={pathTo("chat", document.conversation)}>
            <Icon name="chat" />
            Conversation
          </Link>
        )}
        {isOver ? (
          <Link className="b wide" to={pathTo("runs", document.run, "replay")}>
            <Icon name="play" />
            Replay
          </Link>
        ) : (
          <button className="b" onClick={() => void send("cancel")}>
            <Icon name="stop" />
            Stop
          </button>
        )}
        <Menu
          label="More"
          entries={[
            {
              label: "Compare with another run…",
              onSelect: () => navigate(`/runs?compare=${encodeURIComponent(document.run)}`),
            },
            ...(isOver ? [{ label: "Replay", onSelect: () => navigate(pathTo("runs", document.run, "replay")) }] : []),
            ...(document.status === "stalled" ? [{ label: "Try now", onSelect: () => void send("resume") }] : []),
            { label: "Save as a page", onSelect: () => window.location.assign(api.url(`${path}/export.html`)) },
            { label: "Save its journal", onSelect: () => window.location.assign(api.url(`${path}/export.jsonl`)) },
          ]}
        />
      </header>
      {error && (
        <div className="banner" role="alert">
          {error}
        </div>
      )}
    </>
  );
}

/** The run in numbers. */
function Sum({ document, now }: { document: RunDocument; now: number }) {
  const calls = useMemo(
    () => (document.root ? walk(document.root).length - (isDirect(document) ? 0 : 1) : 0),
    [document],
  );
  const spent = tokens(document.usage);
  const { waits, from, to } = useMemo(() => courseOf(document, now), [document, now]);
  const waited = waits.reduce((sum, [start, end]) => sum + end - start, 0);
  const worked = to - from - waited;
  return (
    <p className="sum">
      <span className="state">
        <StateMark status={document.status} withWord /> <b>{capitalize(STATUS_WORDS[document.status])}</b>
      </span>
      <span title={exactTime(document.opened)}>
        {document.principal}, {moment(document.opened, now)}
      </span>
      <Number value={calls} one="call" />
      {document.questions.length > 0 && <Number value={document.questions.length} one="question" />}
      {worked >= 0.05 && <Fact label="worked">{duration(worked)}</Fact>}
      {waited >= 1 && <Fact label="waited">{duration(waited)}</Fact>}
      {spent > 0 && <Number value={spent} one="token" />}
      {document.usage.cost !== null && spent > 0 && <b className="num">{money(document.usage.cost)}</b>}
    </p>
  );
}

function Number({ value, one }: { value: number; one: string }) {
  const [number, word] = count(value, one).split(" ");
  return (
    <span>
      <b className="num">{number}</b> {word}
    </span>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span>
      {label} <b className="num">{children}</b>
    </span>
  );
}

/** Why a run has failed or rests, on top. */
function Cause({ document, now }: { document: RunDocument; now: number }) {
  const failure = document.failure;
  const link = failure?.call ? (
    <Link className="b tiny" to={`${pathTo("runs", document.run)}#${encodeURIComponent(failure.call)}`} replace>
      The call
    </Link>
  ) : null;
  if (document.status === "failed") {
    return (
      <Note tone="fail" icon="x" action={link}>
        <b>{failure?.message ?? document.error}</b>
        {failure && document.error && document.error !== failure.message && <> {document.error}</>}
      </Note>
    );
  }
  if (document.status !== "stalled") return null;
  return (
    <Note icon="pause">
      <b>Rests{document.retryAt > 0 && ` until ${moment(document.retryAt, now)}`}.</b> {document.reason}
    </Note>
  );
}
