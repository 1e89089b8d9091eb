import { useState } from "react";
import { withQuery } from "../api/api";
import { useResource } from "../api/resources";
import { Failed, Loading, Nothing } from "../parts/notes";
import { count, money, tokens } from "../parts/words";
import type { UsageDocument } from "../wire";

/** The starts of the periods, in seconds since the epoch. */
function periodsNow(): [string, number][] {
  const now = new Date();
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const month = new Date(now.getFullYear(), now.getMonth(), 1);
  return [
    ["Today", day.getTime() / 1000],
    ["Last 7 days", day.getTime() / 1000 - 6 * 86_400],
    ["This month", month.getTime() / 1000],
    ["Ever", 0],
  ];
}

/** What the runs that one sees have used. */
export function UsagePart() {
  const [periods] = useState(periodsNow);
  const { data, error, reload } = useResource<UsageDocument>("/api/usage");
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading rows={5} />;
  const ofScripts = data.scriptedRequests;
  if (data.requests === ofScripts) {
    return (
      <Nothing title="No model was used yet.">
        {ofScripts > 0 && `A script gave ${count(ofScripts, "answer")} in its place.`}
      </Nothing>
    );
  }
  return (
    <>
      <UsageTable periods={periods} />
      {ofScripts > 0 && <p className="meta after">Without {count(ofScripts, "answer")} of a script.</p>}
    </>
  );
}

function UsageTable({ periods }: { periods: [string, number][] }) {
  return (
    <table className="rows">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col" className="r">
            Requests
          </th>
          <th scope="col" className="r">
            Tokens
          </th>
          <th scope="col" className="r opt">
            Of them cached
          </th>
          <th scope="col" className="r">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {periods.map(([title, since]) => (
          <Period key={title} title={title} since={since} />
        ))}
      </tbody>
    </table>
  );
}

function Period({ title, since }: { title: string; since: number }) {
  const { data } = useResource<UsageDocument>(withQuery("/api/usage", { since: since || undefined }));
  return (
    <tr>
      <td>
        <b>{title}</b>
      </td>
      <td className="r">{data && (data.requests - data.scriptedRequests).toLocaleString("en-GB")}</td>
      <td className="r">{data && tokens(data).toLocaleString("en-GB")}</td>
      <td className="r opt">{data?.cachedTokens.toLocaleString("en-GB")}</td>
      <td className="r">{data && (money(data.cost) || <span className="meta">unknown</span>)}</td>
    </tr>
  );
}
