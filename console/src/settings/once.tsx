import { useState } from "react";
import { Icon } from "../parts/icon";

/** A secret that is shown this once, with a way to copy it. */
export function ShownOnce({ label, secret, note }: { label: string; secret: string; note: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="once">
      <label>
        <span>{label}</span>
        <span className="field">
          <input readOnly className="mono" value={secret} onFocus={(event) => event.target.select()} />
          <button
            type="button"
            className="b bare tiny"
            onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}
          >
            <Icon name={isCopied ? "check" : "copy"} small />
            <span role="status">{isCopied ? "Copied" : "Copy"}</span>
          </button>
        </span>
      </label>
      <p className="meta">{note}</p>
    </div>
  );
}
