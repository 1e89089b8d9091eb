import type { LogLine } from "../events";
import { clock } from "./words";

const TONES: Record<string, string> = { warning: "need", error: "fail" };

/** What a tool wrote while it ran, with levels. */
export function LogLines({ lines }: { lines: LogLine[] }) {
  return (
    <div className="acts logs" role="list" aria-label="Notes of the tool">
      {lines.map((line, index) => (
        <div className="act" role="listitem" key={index}>
          <span className={`lvl ${TONES[line.level] ?? ""}`}>{line.level}</span>
          <span className="grow">{line.text}</span>
          <span className="meta num">{clock(line.at, true)}</span>
        </div>
      ))}
    </div>
  );
}
