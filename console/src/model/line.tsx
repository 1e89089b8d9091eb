import { useServices } from "../app/context";
import { Link } from "../app/router";
import { modelWords, useFollowedWeights, useModel } from "./use-model";

/** The model that answers for an agent, in the head of a conversation. A script is always called a script. */
export function ModelLine({ agent }: { agent: string }) {
  const { me } = useServices();
  const { model, reload } = useModel();
  useFollowedWeights({ model, reload });
  const own = me.application.agents.find((each) => each.name === agent)?.model;
  if (!model || (!own && model.source === "application")) return null;
  const words = modelWords(own || model.name) || "No model";
  const problem = own ? "" : model.problem;
  const isChip = words === "A script" || problem;
  return (
    <Link
      className={isChip ? `chip ${problem ? "need" : ""}` : "meta wide"}
      to={own ? "/settings/agents" : "/settings/model"}
      title={problem}
    >
      {words}
      {words === "A script" && <span className="wide"> answers, not a model</span>}
    </Link>
  );
}
