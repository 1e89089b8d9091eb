import type { ReactNode } from "react";

export interface TickBox {
  name: string;
  /** What the name means, if it needs words; the name then stands beside them. */
  meaning?: string | undefined;
  /** Whether another choice includes this one: it is ticked and stays so. */
  isIncluded?: boolean;
}

/** Choose any number of names. The children are shown above the boxes. */
export function TickBoxes({
  legend,
  boxes,
  chosen,
  isBusy = false,
  onChange,
  children,
}: {
  legend: string;
  boxes: TickBox[];
  chosen: string[];
  isBusy?: boolean;
  onChange: (chosen: string[]) => void;
  children?: ReactNode;
}) {
  return (
    <fieldset className="boxes">
      <legend>{legend}</legend>
      {children}
      {boxes.map(({ name, meaning, isIncluded = false }) => (
        <label key={name}>
          <input
            type="checkbox"
            className="check"
            disabled={isBusy || isIncluded}
            checked={isIncluded || chosen.includes(name)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          <span>{meaning ?? name}</span>
          {meaning && <span className="meta mono">{name}</span>}
        </label>
      ))}
    </fieldset>
  );
}
