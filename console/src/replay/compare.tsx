import { useMemo } from "react";
import { Link, pathTo, usePlace, HashLink } from "../app/router";
import { titleOfRun } from "../live/document";
import { useRun } from "../live/use-run";
import { Icon } from "../parts/icon";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Segments } from "../parts/seg";
import { SentenceText } from "../parts/sentence";
import { useNow } from "../parts/time";
import { useTitle } from "../parts/use-title";
import { moment, money } from "../parts/words";
import { Diff } from "../question/diff";
import type { RunDocument } from "../wire";
import { align, type Aligned, type Pair, wordsOf } from "./align";

/** Two runs compared, to the first difference. */
export function CompareScreen({ a, b }: { a: string; b: string }) {
  const left = useRun(a);
  const right = useRun(b);
  const { query } = usePlace();
  const isWhole = query.has("all");
  const aligned = useMemo(
    () => (left.document && right.document ? align(left.document, right.document) : null),
    [left.document, right.document],
  );
  const error = left.error ?? right.error;
  const path = pathTo("compare", a, b);
  const different = aligned?.pairs.filter((each) => !each.isSame).length ?? 0;
  useTitle("Compare two runs");
  return (
    <>
      <header className="top">
        <Link className="b bare" to={pathTo("runs", a)} aria-label="Back to the run">
          <Icon name="left" />
        </Link>
        <h1>Compare</h1>
        <span className="grow" />
        {aligned && (
          <Segments
            label="Show"
            choices={[
              { to: path, label: `Differences ${different}`, isCurrent: !isWhole },
              { to: `${path}?all`, label: `All ${aligned.pairs.length}`, isCurrent: isWhole },
            ]}
          />
        )}
      </header>
      <div className="body" tabIndex={0} role="region" aria-label="Comparison">
        {!aligned && (error ? <Failed error={error} /> : <Loading rows={5} />)}
        {aligned && left.document && right.document && (
          <Table aligned={aligned} a={left.document} b={right.document} isWhole={isWhole} />
        )}
      </div>
    </>
  );
}

function Table({ aligned, a, b, isWhole }: { aligned: Aligned; a: RunDocument; b: RunDocument; isWhole: boolean }) {
  if (aligned.first < 0) {
    return <Nothing title="The two runs are the same.">All {aligned.pairs.length} steps say and do the same.</Nothing>;
  }
  const rows = [...aligned.pairs.entries()].filter(([, pair]) => isWhole || !pair.isSame);
  return (
    <table className="rows diff">
      <colgroup>
        <col className="n" />
        <col />
        <col />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <RunHead run={a} />
          <RunHead run={b} />
        </tr>
      </thead>
      <tbody>
        {!isWhole && aligned.first > 0 && (
          <tr className="same">
            <td>{aligned.first === 1 ? "1" : `1–${aligned.first}`}</td>
            <td colSpan={2}>
              <Icon name="check" small tone="done" /> The same
            </td>
          </tr>
        )}
        {rows.map(([index, pair]) => (
          <Row key={index} index={index} pair={pair} isFirst={index === aligned.first} />
        ))}
      </tbody>
    </table>
  );
}

function RunHead({ run }: { run: RunDocument }) {
  const now = useNow(60);
  return (
    <th scope="col">
      <b className="clamp">
        <Link to={pathTo("runs", run.run)}>{titleOfRun(run)}</Link>
      </b>
      <span className="meta">
        {[run.principal, moment(run.opened, now), money(run.usage.cost)].filter(Boolean).join(", ")}
      </span>
    </th>
  );
}

function Row({ index, pair, isFirst }: { index: number; pair: Pair; isFirst: boolean }) {
  const className = pair.isSame ? "same" : isFirst ? "first" : "";
  return (
    <tr className={className}>
      <td>
        <HashLink hash={String(index + 1)}>{index + 1}</HashLink>
      </td>
      <Side pair={pair} side="a" isFirst={isFirst} />
      <Side pair={pair} side="b" isFirst={isFirst} />
    </tr>
  );
}

function Side({ pair, side, isFirst }: { pair: Pair; side: "a" | "b"; isFirst: boolean }) {
  const step = pair[side];
  const eyebrow = isFirst && <span className="eyebrow">{side === "a" ? "First difference" : " "}</span>;
  if (!step) return <td className="meta">{eyebrow}Not there</td>;
  const words = wordsOf(step);
  return (
    <td>
      {eyebrow}
      <b>
        {step.question ? (
          <>
            A person was asked: <SentenceText sentence={step.question.sentence} />
          </>
        ) : (
          <SentenceText sentence={step.sentence} />
        )}
      </b>{" "}
      {pair.isSame ? (
        words
      ) : (
        <Diff before={wordsOf(pair.a)} after={wordsOf(pair.b)} side={side === "a" ? "before" : "after"} />
      )}
    </td>
  );
}
