/** Inbox: what waits for an answer, by rule; beside it the card, or the table of a batch. */
import { useEffect, useMemo } from "react";
import { usePages } from "../api/pages";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { Link, navigate, pathTo, usePlace } from "../app/router";
import { selectOpen, useWorld } from "../live/world";
import { Icon } from "../parts/icon";
import { More, useReading } from "../parts/more";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Segments } from "../parts/seg";
import { Ago, Left } from "../parts/time";
import { useTitle } from "../parts/use-title";
import { count } from "../parts/words";
import { QuestionCard } from "../question/card";
import { asQuestion, quoted, settledWords } from "../question/words";
import type { QuestionDocument } from "../wire";
import { Batch } from "./batch";
import { batchTitle, type Entry, groupsOf } from "./groups";
import { NotifyNote } from "./notify";

const SETTLED = "/api/questions?status=settled&limit=50";
const idOf = (question: QuestionDocument) => question.id;

type Show = "mine" | "all" | "settled";

export function InboxScreen({ question: id }: { question?: string }) {
  const { query } = usePlace();
  const show = (query.get("show") ?? "mine") as Show;
  const isBatch = query.has("batch");
  const { world } = useServices();
  const known = useWorld((state) => state.questions);
  const problem = useWorld((state) => state.problem);
  const isRead = useWorld((state) => state.conversations !== null || state.problem !== null);
  const isPart = useWorld((state) => state.moreQuestions !== "");
  const open = useMemo(() => selectOpen(known), [known]);
  const mine = useMemo(() => open.filter((each) => each.may.approve || each.may.deny), [open]);
  const settled = usePages<QuestionDocument>(show === "settled" ? SETTLED : null, idOf, "after");
  const waiting = show === "all" ? open : mine;
  const listed = show === "settled" ? settled.items : isRead ? waiting : undefined;
  const groups = useMemo(() => groupsOf(listed ?? []), [listed]);
  const entries = groups.flatMap((each) => each.entries);
  const shown = id ? entries.find((each) => each.questions.some((one) => one.id === id)) : undefined;
  const first = entries[0];
  useEffect(() => {
    if (!id && first && isWide()) navigate(addressOf(first, show), { replace: true });
  }, [id, first, show]);
  useTitle("Inbox");
  return (
    <>
      <header className="top">
        <h1>Inbox</h1>
        <span className="meta grow">
          {mine.length === 0 ? "" : `${count(mine.length, "thing")} ${mine.length === 1 ? "waits" : "wait"} for you`}
        </span>
        <Segments
          label="Which questions"
          choices={[
            { to: "/inbox", label: "For me", isCurrent: show === "mine" },
            { to: "/inbox?show=all", label: `All ${open.length}${isPart ? "+" : ""}`, isCurrent: show === "all" },
            { to: "/inbox?show=settled", label: "Settled", isCurrent: show === "settled" },
          ]}
        />
      </header>
      <div className={id ? "split master inbox has-item" : "split master inbox"}>
        <nav className="pane list" aria-label="Questions" data-list>
          {listed === undefined && !settled.error && <Loading />}
          {settled.error && show === "settled" && <Failed error={settled.error} retry={settled.reload} />}
          {problem && show !== "settled" && <Failed error={problem} retry={() => void world.readLists()} />}
          {groups.map((group) => (
            <section key={group.rule} aria-label={group.rule}>
              <h2>
                {group.rule}
                <span>{group.count}</span>
              </h2>
              {group.entries.map((entry) => (
                <EntryLink key={entry.questions[0]!.id} entry={entry} show={show} current={id} />
              ))}
            </section>
          ))}
          {show === "settled" ? <More {...settled} /> : <MoreQuestions />}
          {listed?.length === 0 && (show === "settled" || !problem) && (
            <Nothing title={show === "settled" ? "Nothing was settled yet." : "Nothing waits."}>
              {show !== "settled" && "Questions of your agents appear here."}
            </Nothing>
          )}
          <NotifyNote />
        </nav>
        {shown && shown.questions.length > 1 && isBatch ? (
          <Batch key={shown.questions[0]!.id} questions={shown.questions} />
        ) : (
          id && <One key={id} id={id} />
        )}
      </div>
    </>
  );
}

/** Whether the list and a question have room beside each other. */
function isWide(): boolean {
  return window.matchMedia?.("(min-width: 761px)").matches ?? true;
}

/** The address of an entry, in the list in which it stands. */
function addressOf(entry: Entry, show: Show): string {
  const search = new URLSearchParams({
    ...(show === "mine" ? {} : { show }),
    ...(entry.questions.length > 1 ? { batch: "" } : {}),
  });
  return pathTo("inbox", entry.questions[0]!.id) + (search.size > 0 ? `?${search}` : "");
}

/** The way to open questions that were not read. */
function MoreQuestions() {
  const { world } = useServices();
  const hasMore = useWorld((state) => state.moreQuestions !== "");
  return <More hasMore={hasMore} {...useReading(world.readMoreQuestions)} />;
}

function EntryLink({ entry, show, current }: { entry: Entry; show: Show; current: string | undefined }) {
  const { me } = useServices();
  const first = entry.questions[0]!;
  const isBatch = entry.questions.length > 1;
  const to = addressOf(entry, show);
  const isOpen = first.status === "open";
  const isSoon = isOpen && first.expires - Date.now() / 1000 < 1800;
  return (
    <Link to={to} data-item aria-current={entry.questions.some((each) => each.id === current) ? "true" : undefined}>
      <Icon
        name={first.about === "outcome" ? "alert" : first.may.kind === "confirm" ? "person" : "shield"}
        tone={isOpen ? "need" : ""}
      />
      <span className="grow">
        <b className="clamp">{isBatch ? batchTitle(entry.questions) : quoted(first.sentence)}</b>
        <span className="meta">
          {isOpen ? (
            <>
              {first.asker} · asked <Ago at={first.asked} isPast />
              {isBatch && ` · one run asks ${entry.questions.length} times`}
            </>
          ) : (
            <>
              {settledWords(first, me)} · <Ago at={first.decision?.at ?? first.expires} isPast />
            </>
          )}
        </span>
      </span>
      {isOpen && first.expires > 0 && (
        <span className={isSoon ? "chip need num" : "meta num"}>
          <Left until={first.expires} label="" />
        </span>
      )}
    </Link>
  );
}

/** One question with its card, however it was reached: from the list, a mail or an old link. */
function One({ id }: { id: string }) {
  const known = useWorld((world) => world.questions[id]);
  const { data, error, reload } = useResource<QuestionDocument>(
    known ? null : `/api/questions/${encodeURIComponent(id)}`,
  );
  const question = known ?? data;
  return (
    <section className="pane pad card-pane" aria-label={question ? asQuestion(question.sentence) : "Question"}>
      <Link className="b bare tiny slim" to="/inbox" aria-label="Back to the inbox">
        <Icon name="left" />
        Inbox
      </Link>
      {question ? (
        <QuestionCard question={question} />
      ) : error ? (
        <Failed error={error} retry={reload} />
      ) : (
        <Loading rows={4} />
      )}
      {question && question.conversation && (
        <p className="meta">
          Asked in a conversation. <Link to={pathTo("chat", question.conversation)}>Open it</Link>
        </p>
      )}
    </section>
  );
}
