import { useSyncExternalStore } from "react";
import { useServices } from "./context";

/** Choose what to work on, where an application has several targets. */
export function TargetPicker() {
  const { target } = useServices();
  const chosen = useSyncExternalStore(target.subscribe, () => target.value);
  if (target.targets.length < 2) return null;
  return (
    <label className="target">
      <span className="hide">Works on</span>
      <select className="field" value={chosen} onChange={(event) => target.choose(event.target.value)}>
        {target.targets.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
