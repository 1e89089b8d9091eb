import { useState } from "react";
import { usePages } from "../api/pages";
import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { More } from "../parts/more";
import { Failed, Loading, Nothing, Problem } from "../parts/notes";
import { useNow } from "../parts/time";
import { capitalize, moment, readable } from "../parts/words";
import type { RunSummary } from "../wire";

const runOf = (run: RunSummary) => run.run;

/** Calls that wait for their time. */
export function Schedules() {
  const { api } = useServices();
  const pages = usePages<RunSummary>("/api/schedules", runOf);
  const { items, error, reload } = pages;
  const now = useNow(60);
  const [problem, setProblem] = useState("");
  if (!items) return error ? <Failed error={error} retry={reload} /> : <Loading />;
  if (items.length === 0) return <Nothing title="Nothing is scheduled." />;
  async function withdraw(run: string) {
    try {
      await api.send("DELETE", `/api/schedules/${encodeURIComponent(run)}`);
      reload();
    } catch (failed) {
      setProblem(failed instanceof Error ? failed.message : "It could not be withdrawn.");
    }
  }
  return (
    <>
      <Problem text={problem} />
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col" className="r">
              When
            </th>
            <th scope="col">
              <span className="hide">Withdraw</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <tr key={each.run}>
              <td>
                <Link to={pathTo("runs", each.run)}>{each.title || capitalize(readable(each.agent))}</Link>
              </td>
              <td>{each.principal}</td>
              <td className="r">{moment(each.due, now)}</td>
              <td className="r">
                <button className="b tiny ruin" onClick={() => void withdraw(each.run)}>
                  Withdraw
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More {...pages} />
    </>
  );
}
