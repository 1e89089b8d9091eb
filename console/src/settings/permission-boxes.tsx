import { TickBoxes } from "../parts/tick-boxes";
import { usePermissionWords } from "./permissions";

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
  const { meaningOf } = usePermissionWords();
  const isAll = chosen.includes("*");
  const boxes = known.map((name) => ({ name, meaning: meaningOf(name), isIncluded: isAll && name !== "*" }));
  return <TickBoxes legend="May" boxes={boxes} chosen={chosen} onChange={onChange} />;
}
