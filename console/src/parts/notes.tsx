import type { ReactNode } from "react";
import { NetworkError, RefusedError } from "../api/api";
import { Icon, type IconName } from "./icon";
import { useLate } from "./use-late";

type Tone = "" | "need" | "fail";

/** What happened, what is safe, what comes next. Amber wants a person, red is the end. */
export function Note({
  tone = "",
  icon,
  children,
  action,
}: {
  tone?: Tone;
  icon: IconName;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`note ${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
      {action}
    </div>
  );
}

/** Bars in place of what is being read, after 300 ms. */
export function Loading({ rows = 3 }: { rows?: number }) {
  const isLate = useLate(300);
  return (
    <div role="status" className="loading-bars">
      <span className="hide">Loading</span>
      {isLate && (
        <div className="skeleton" aria-hidden="true">
          {Array.from({ length: rows }, (_, index) => (
            <i key={index} className={`w${index % 3}`} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Why something could not be read, and the way to try again. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const isAway = error instanceof NetworkError;
  const isMissing = error instanceof RefusedError && error.status === 404;
  const words = isMissing ? "It does not exist, or you may not see it." : error.message;
  const action =
    retry && !isMissing ? (
      <button className="b tiny" onClick={retry}>
        Try again
      </button>
    ) : null;
  return (
    <Note tone={isAway ? "" : "fail"} icon={isAway ? "load" : "x"} action={action}>
      <b>{isMissing ? "Nothing is here." : isAway ? "The server does not answer." : "This could not be read."}</b>{" "}
      {isAway ? "Nothing is lost." : words}
    </Note>
  );
}

/** Why something that a person tried did not work. Nothing is shown without a text. */
export function Problem({ text, id }: { text: string; id?: string }) {
  if (!text) return null;
  return (
    <p className="error" role="alert" id={id}>
      {text}
    </p>
  );
}

/** An empty list: one sentence and at most one link. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <p className="nothing">
      <b>{title}</b> {children}
    </p>
  );
}
