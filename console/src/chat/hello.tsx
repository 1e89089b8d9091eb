import { useServices } from "../app/context";
import { Icon } from "../parts/icon";
import { readable } from "../parts/words";

/** An empty conversation: one question, and examples where the application gives some. */
export function Hello({ agent, onPick }: { agent: string; onPick: (text: string) => void }) {
  const { me } = useServices();
  const known = me.application.agents.find((each) => each.name === agent);
  return (
    <div className="stream hello">
      <div>
        <h2>{me.application.question ?? `What should the ${readable(agent || "agent")} do?`}</h2>
        {known?.description && !known.examples && <p className="lead">{known.description}</p>}
        {known?.examples && (
          <ul className="jobs">
            {known.examples.map((each) => (
              <li key={each.prompt}>
                <button type="button" onClick={() => onPick(each.prompt)}>
                  <Icon name="chat" />
                  <span>
                    <b>{each.prompt}</b>
                    <span className="meta">{each.note}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {me.application.note && <p className="meta">{me.application.note}</p>}
      </div>
    </div>
  );
}
