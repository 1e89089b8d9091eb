import { TickBoxes } from "../parts/tick-boxes";
import { meaningOf } from "./permissions";

/** Tick permissions. `*` stands for all others. */
export function PermissionBoxes({
  known,
  chosen,
  onChange,
}: {
  known: string[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}) {
  const isAll = chosen.includes("*");
  const boxes = known.map((name) => ({ name, meaning: meaningOf(name), isIncluded: isAll && name !== "*" }));
  return <TickBoxes legend="May" boxes={boxes} chosen={chosen} onChange={onChange} />;
}
