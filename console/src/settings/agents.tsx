import { useServices } from "../app/context";
import { Link, pathTo } from "../app/router";
import { modelWords } from "../model/use-model";
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
          <th scope="col">Model</th>
        </tr>
      </thead>
      <tbody>
        {me.application.agents.map((each) => (
          <tr key={each.name}>
            <td>
              <b>{capitalize(readable(each.name))}</b>
            </td>
            <td>{each.description}</td>
            <td>
              {each.model ? modelWords(each.model) : <Link to={pathTo("settings", "model")}>That of the server</Link>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
