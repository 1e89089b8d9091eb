import { useState } from "react";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { Failed, Loading, Nothing } from "../parts/notes";
import { useNow } from "../parts/time";
import { capitalize, moment, readable } from "../parts/words";
import type { Listed, ScheduleDocument } from "../wire";

/** Runs that begin by themselves. */
export function Schedules() {
  const { api } = useServices();
  const { data, error, reload } = useResource<Listed<ScheduleDocument>>("/api/schedules");
  const now = useNow(60);
  const [problem, setProblem] = useState("");
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading />;
  if (data.items.length === 0) return <Nothing title="Nothing is scheduled." />;
  async function end(id: string) {
    try {
      await api.send("DELETE", `/api/schedules/${encodeURIComponent(id)}`);
      reload();
    } catch (failed) {
      setProblem(failed instanceof Error ? failed.message : "It could not be ended.");
    }
  }
  return (
    <>
      {problem && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">When</th>
            <th scope="col" className="r">
              Next
            </th>
            <th scope="col">
              <span className="hide">End it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((each) => (
            <tr key={each.id}>
              <td>
                <b>{each.title}</b>
              </td>
              <td>
                {each.principal} <span className="meta">{capitalize(readable(each.agent))}</span>
              </td>
              <td>{each.every}</td>
              <td className="r">{moment(each.next, now)}</td>
              <td className="r">
                <button className="b tiny ruin" onClick={() => void end(each.id)}>
                  End it
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
