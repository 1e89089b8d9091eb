import { useResource } from "../api/resources";
import { Failed, Loading, Nothing } from "../parts/notes";
import { capitalize, money, tokens } from "../parts/words";
import type { UsageReport } from "../wire";

/** What was spent this month, by day and by person. */
export function UsagePart() {
  const { data, error, reload } = useResource<UsageReport>("/api/usage");
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading rows={5} />;
  const most = Math.max(...data.days.map((each) => each.cost ?? 0), 0.01);
  return (
    <>
      <p>
        <b>{money(data.total.cost) || "Unknown cost"}</b>{" "}
        <span className="meta">
          this month, {tokens(data.total).toLocaleString("en-GB")} tokens in{" "}
          {data.total.requests.toLocaleString("en-GB")} requests
        </span>
      </p>
      {data.days.length > 1 && (
        <svg
          className="spark"
          viewBox={`0 0 ${data.days.length * 9} 56`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Cost a day, at most ${money(most)}`}
        >
          {data.days.map((each, index) => {
            const height = Math.max(2, ((each.cost ?? 0) / most) * 52);
            return (
              <rect key={each.day} x={index * 9 + 1} y={56 - height} width={7} height={height} fill="currentColor" />
            );
          })}
        </svg>
      )}
      {data.people.length === 0 ? (
        <Nothing title="Nothing was used yet." />
      ) : (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col" className="r">
                Runs
              </th>
              <th scope="col" className="r opt">
                Calls
              </th>
              <th scope="col" className="r opt">
                Asked
              </th>
              <th scope="col" className="r">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {data.people.map((each) => (
              <tr key={each.principal}>
                <td>{capitalize(each.principal)}</td>
                <td className="r">{each.runs.toLocaleString("en-GB")}</td>
                <td className="r opt">{each.calls.toLocaleString("en-GB")}</td>
                <td className="r opt">{each.questions}</td>
                <td className="r">{money(each.cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
