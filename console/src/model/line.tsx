import { Link } from "../app/router";
import { modelWords, useModel } from "./use-model";

/** The model that answers, in the head of a conversation. A script is always called a script. */
export function ModelLine() {
  const { model } = useModel();
  const words = model && modelWords(model);
  if (!model || !words) return null;
  const tone = model.problem ? "need" : "";
  return (
    <Link className={model.isScript || tone ? `chip ${tone}` : "meta wide"} to="/settings/model" title={model.problem}>
      {model.isScript ? (
        <>
          A script<span className="wide"> answers, not a model</span>
        </>
      ) : (
        words
      )}
    </Link>
  );
}
