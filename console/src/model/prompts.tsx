import { useServices } from "../app/context";
import { useModel } from "./use-model";

/** The sentences that a script knows, where a person writes. With a model there are none. */
export function ScriptPrompts({ onPick }: { onPick: (text: string) => void }) {
  const { me } = useServices();
  const { model } = useModel();
  if (model?.source !== "rehearsal") return null;
  return (
    <p className="sug known" role="group" aria-label="Sentences that the script knows">
      {me.application.examples.map((each) => (
        <button key={each.prompt} type="button" className="b tiny" onClick={() => onPick(each.prompt)}>
          {each.prompt}
        </button>
      ))}
    </p>
  );
}
