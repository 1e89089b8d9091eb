import { MEANINGS } from "./permissions";

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
  return (
    <fieldset className="boxes">
      <legend>May</legend>
      {known.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            className="check"
            checked={isAll || chosen.includes(each)}
            disabled={isAll && each !== "*"}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, each] : chosen.filter((other) => other !== each))
            }
          />
          <span>{MEANINGS[each] ?? each}</span>
          {MEANINGS[each] && <span className="meta mono">{each}</span>}
        </label>
      ))}
    </fieldset>
  );
}
