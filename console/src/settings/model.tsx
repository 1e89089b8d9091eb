import { useServices } from "../app/context";
import { ModelChoices } from "../model/choices";
import { useFollowedWeights, useModel } from "../model/use-model";
import { Failed, Loading, Note } from "../parts/notes";
import type { ModelDocument } from "../wire";

const SOURCES: Record<ModelDocument["source"], string> = {
  application: "the application",
  environment: "the environment of the server, REMIT_MODEL",
  chosen: "a choice made here",
  rehearsal: "a choice made here",
  weights: "weights that are on this machine",
  none: "nobody yet",
};

/** The default model and how to change it. */
export function ModelPart() {
  const { me } = useServices();
  const choosing = useModel();
  const { model, error, reload } = choosing;
  useFollowedWeights({ model, reload });
  if (!model) return error ? <Failed error={error} retry={reload} /> : <Loading rows={3} />;
  const isChosen = model.source === "chosen" || model.source === "rehearsal";
  return (
    <>
      {model.problem && (
        <Note tone="need" icon="alert">
          <b>{model.source === "none" ? "No model answers yet." : "It cannot be used."}</b> Requests wait and go on when
          there is one. {model.source !== "none" && model.problem}
        </Note>
      )}
      <dl className="facts">
        <dt>Answers</dt>
        <dd>{model.isScript ? "A script, not a model" : model.description || model.name}</dd>
        <dt>Set by</dt>
        <dd>{SOURCES[model.source]}</dd>
        {model.address && (
          <>
            <dt>Endpoint</dt>
            <dd>{model.address}</dd>
          </>
        )}
        {model.keySource && (
          <>
            <dt>Key</dt>
            <dd>{model.keySource}</dd>
          </>
        )}
      </dl>
      {isChosen && model.mayChoose && (
        <div className="acts-row">
          <button className="b" disabled={choosing.isBusy} onClick={() => void choosing.forget()}>
            {model.keySource ? "Forget it and its key" : "Forget it"}
          </button>
        </div>
      )}
      {model.fixed ? (
        <p className="meta">Nobody can choose another one here: {model.fixed}.</p>
      ) : model.mayChoose ? (
        <>
          <h2>{model.source === "none" ? "Choose one" : "Choose another"}</h2>
          <ModelChoices choosing={choosing} />
        </>
      ) : (
        <p className="meta">Only the operator of this server chooses the model, not {me.name}.</p>
      )}
    </>
  );
}
