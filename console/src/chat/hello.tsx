import { useServices } from "../app/context";
import { ModelChoices } from "../model/choices";
import { useModel } from "../model/use-model";
import { Icon } from "../parts/icon";
import { Note } from "../parts/notes";
import { readable } from "../parts/words";

/** An empty conversation: what the agent is for, and examples. Without a model, the choice of one comes first. */
export function Hello({ agent, onPick }: { agent: string; onPick: (text: string) => void }) {
  const { me } = useServices();
  const choosing = useModel();
  const { model } = choosing;
  const known = me.application.agents.find((each) => each.name === agent);
  const examples = me.application.agents[0]?.name === agent ? me.application.examples : [];
  if (model?.problem && model.mayChoose && !model.fixed) {
    return (
      <div className="stream hello">
        <div>
          <h2>Which model should the {readable(agent || "agent")} use?</h2>
          <p className="lead">None answers yet. You can change this at any time under Settings, Model.</p>
          {model.source !== "none" && (
            <Note tone="need" icon="alert">
              {model.problem}
            </Note>
          )}
          <ModelChoices choosing={choosing} />
        </div>
      </div>
    );
  }
  return (
    <div className="stream hello">
      <div>
        <h2>What should the {readable(agent || "agent")} do?</h2>
        {known?.description && <p className="lead">{known.description}</p>}
        {model?.problem && (
          <Note tone="need" icon="alert">
            <b>No model answers yet.</b> What you ask waits until there is one.{" "}
            {model.fixed ? model.problem : "The operator of this server chooses it."}
          </Note>
        )}
        {model?.isScript && (
          <Note icon="script">
            <b>A script answers, not a model.</b> It knows these sentences, and says so to any other.
          </Note>
        )}
        {examples.length > 0 && (
          <ul className="jobs">
            {examples.map((each) => (
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
      </div>
    </div>
  );
}
