import { useServices } from "../app/context";
import { capitalize, readable } from "../parts/words";

/** The agents that people talk to. */
export function Agents() {
  const { me } = useServices();
  return (
    <table className="rows">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">What it does</th>
        </tr>
      </thead>
      <tbody>
        {me.application.agents.map((each) => (
          <tr key={each.name}>
            <td>
              <b>{capitalize(readable(each.name))}</b>
            </td>
            <td>{each.description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
