import { useServices } from "../app/context";
import { readable } from "../parts/words";

/** An empty conversation: what the agent is for. */
export function Hello({ agent }: { agent: string }) {
  const { me } = useServices();
  const known = me.application.agents.find((each) => each.name === agent);
  return (
    <div className="stream hello">
      <div>
        <h2>What should the {readable(agent || "agent")} do?</h2>
        {known?.description && <p className="lead">{known.description}</p>}
      </div>
    </div>
  );
}
