import type { ChangeDocument } from "../wire";
import { Diff } from "./diff";

/** Rows of what changes, before and after. */
export function ChangeTable({
  rows,
  heads = ["Now", "Then"],
}: {
  rows: ChangeDocument[];
  heads?: [before: string, after: string];
}) {
  return (
    <table className="rows">
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">{heads[0]}</th>
          <th scope="col">{heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            <td>{row.where}</td>
            <td className={row.before ? "" : "meta"}>
              {row.before ? <Diff before={row.before} after={row.after} side="before" /> : "nothing"}
            </td>
            <td className={row.after ? "" : "meta"}>
              {row.after ? <Diff before={row.before} after={row.after} side="after" /> : "nothing"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
