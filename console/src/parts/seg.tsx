import type { ReactNode } from "react";
import { Link } from "../app/router";

export interface Choice {
  to: string;
  label: ReactNode;
  isCurrent: boolean;
}

/** A choice between a few ways to look at one thing. Each is an address. */
export function Segments({ label, choices, className = "" }: { label: string; choices: Choice[]; className?: string }) {
  return (
    <nav className={`seg ${className}`} aria-label={label}>
      {choices.map((each) => (
        <Link key={each.to} to={each.to} aria-current={each.isCurrent ? "true" : undefined} replace>
          {each.label}
        </Link>
      ))}
    </nav>
  );
}

/** The same choice within one page, without an address: a panel that is remembered for the person. */
export function Switch<T extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: ReactNode }[];
}) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {options.map((each) => (
        <button key={each.value} type="button" aria-pressed={each.value === value} onClick={() => onChange(each.value)}>
          {each.label}
        </button>
      ))}
    </div>
  );
}
