import { useMemo } from "react";
import { withQuery } from "../api/api";
import { useResource } from "../api/resources";
import { Link, usePlace, pathTo } from "../app/router";
import { logsOf, walk } from "../live/document";
import { Fold } from "../parts/fold";
import { Icon } from "../parts/icon";
import { Json } from "../parts/json";
import { LogLines } from "../parts/logs";
import { Markdown } from "../parts/markdown";
import { Failed, Loading, Nothing } from "../parts/notes";
import { SentenceText } from "../parts/sentence";
import { useTabs } from "../parts/use-tabs";
import { capitalize, clock, duration, readable } from "../parts/words";
import type { JournalItem } from "../events";
import type { CallDocument, Listed, MessageDocument, RunDocument } from "../wire";
import { Why } from "./why";

const TABS = ["call", "why", "saw", "journal"] as const;
const TITLES = { call: "Call", why: "Why", saw: "Model saw", journal: "Journal" };

/** What is known of the picked call or answer of a model. */
export function Inspector({ document, current }: { document: RunDocument; current: string }) {
  const tab = useTabs(TABS);
  const { path } = usePlace();
  const call = useMemo(
    () => (document.root ? walk(document.root).find((each) => each.call === current) : undefined),
    [document, current],
  );
  const message = call ? undefined : messageOf(document, current);
  const to = (each: string) =>
    `${withQuery(path, { tab: each === "call" ? "" : each })}#${encodeURIComponent(current)}`;
  return (
    <aside className="pane inspect" tabIndex={0} aria-label="Inspector">
      <nav className="tabs" aria-label="Inspector">
        {TABS.map((each) => (
          <Link key={each} to={to(each)} replace aria-current={each === tab ? "true" : undefined}>
            {TITLES[each]}
          </Link>
        ))}
      </nav>
      {!call && !message && <p className="meta">Pick a bar to see what it was.</p>}
      {call && tab === "call" && <Call call={call} />}
      {call && tab === "why" && <Why call={call} document={document} />}
      {message && (tab === "call" || tab === "why") && <Answer message={message} />}
      {(call || message) && tab === "saw" && (
        <Saw
          document={document}
          agent={call?.parent ?? message!.agent}
          until={message ?? messageFor(document, call!)}
        />
      )}
      {(call || message) && tab === "journal" && <Journal run={document.run} call={current} />}
    </aside>
  );
}

function messageOf(document: RunDocument, id: string): MessageDocument | undefined {
  const dot = id.lastIndexOf(".");
  if (dot < 0) return undefined;
  const mine = document.messages.filter(
    (each) => each.agent === id.slice(0, dot) && each.by === "model" && !each.given,
  );
  return mine[Number(id.slice(dot + 1))];
}

/** The message that requested a call. */
function messageFor(document: RunDocument, call: CallDocument): MessageDocument | undefined {
  return document.messages.find((each) => each.calls.includes(call.call));
}

function Call({ call }: { call: CallDocument }) {
  const logs = logsOf(call);
  return (
    <>
      <h2>
        <SentenceText sentence={call.sentence} />
      </h2>
      <dl className="facts">
        <dt>State</dt>
        <dd>{capitalize(call.state === "denied" ? "refused" : call.state)}</dd>
        {call.error && (
          <>
            <dt>Reason</dt>
            <dd>{call.error}</dd>
          </>
        )}
        <dt>Made by</dt>
        <dd>{call.by ? capitalize(readable(call.by)) : "the run itself"}</dd>
        {call.startedAt > 0 && (
          <>
            <dt>Began</dt>
            <dd className="num">{clock(call.startedAt, true)}</dd>
          </>
        )}
        {call.startedAt > 0 && call.endedAt > 0 && (
          <>
            <dt>Took</dt>
            <dd className="num">{duration(call.endedAt - call.startedAt)}</dd>
          </>
        )}
        {call.attempt > 1 && (
          <>
            <dt>Attempts</dt>
            <dd className="num">{call.attempt}</dd>
          </>
        )}
        {call.changed.length > 0 && (
          <>
            <dt>Changed</dt>
            <dd>
              {call.changed
                .map((each) => [each.name || readable(each.kind), ...each.fields.map(readable)].join(", "))
                .join("; ")}
            </dd>
          </>
        )}
      </dl>
      {logs.length > 0 && <LogLines lines={logs} />}
      <Fold isFlat name="exact" title="Exact call" meta={<span className="meta">{call.tool}</span>}>
        <Json text={call.arguments} label="Arguments" />
        {call.content && <Json text={call.content} label="Result" />}
      </Fold>
    </>
  );
}

function Answer({ message }: { message: MessageDocument }) {
  return (
    <>
      <h2>The model answered, {clock(message.at, true)}</h2>
      {message.text ? <Markdown text={message.text} /> : <p className="meta">No words, only calls.</p>}
    </>
  );
}

/** The messages that a model had read before an answer, oldest first. */
function Saw({ document, agent, until }: { document: RunDocument; agent: string; until: MessageDocument | undefined }) {
  const all = document.messages.filter((each) => each.agent === agent);
  const end = until ? all.indexOf(until) : -1;
  const seen = end < 0 ? all : all.slice(0, end);
  if (seen.length === 0) return <Nothing title="Nothing.">No model was asked for this.</Nothing>;
  return (
    <div className="saw">
      {seen.map((each, index) => (
        <Fold
          key={index}
          isFlat
          title={authorOf(each)}
          isOpen={index === seen.length - 1}
          meta={<span className="meta one-line">{each.text.slice(0, 80)}</span>}
        >
          <pre className="well" tabIndex={0} aria-label={authorOf(each)}>
            {each.text || `${each.calls.length} calls requested`}
          </pre>
        </Fold>
      ))}
    </div>
  );
}

const AUTHORS: Record<string, string> = {
  person: "The person",
  caller: "The caller",
  model: "The model",
  instructions: "Instructions",
  run_instructions: "Instructions of the run",
  memory: "Memory",
  found_tools: "Tools that were found",
  loop: "Remit",
};

function authorOf(message: MessageDocument): string {
  return message.role === "tool" ? "A result" : (AUTHORS[message.by] ?? message.by);
}

function Journal({ run, call }: { run: string; call: string }) {
  const { data, error, reload } = useResource<Listed<JournalItem>>(pathTo("api", "runs", run, "items"));
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading />;
  const items = data.items.filter((each) => each.call === call);
  if (items.length === 0)
    return <Nothing title="Nothing of its own.">The items of this part stand with its caller.</Nothing>;
  return (
    <ol className="path">
      {items.map((item) => (
        <li key={item.seq}>
          <Icon name="right" small />
          <div>
            <b>{capitalize(readable(item.kind))}</b>
            <p>
              <span className="num">{clock(item.at, true)}</span> · item {item.seq}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
