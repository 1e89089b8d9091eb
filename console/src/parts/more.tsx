import { useCallback, useState } from "react";
import type { Pages } from "../api/pages";
import { Problem } from "./notes";

type Reading = Pick<Pages<unknown>, "readMore" | "isReading" | "moreError">;

/** The way to the next page of a list, and why it could not be read. Nothing is shown at the end of the list. */
export function More({ hasMore, readMore, isReading, moreError }: Reading & { hasMore: boolean }) {
  if (!hasMore) return null;
  return (
    <div className="more">
      <Problem text={moreError?.message ?? ""} />
      <button className="b bare tiny" onClick={readMore} disabled={isReading}>
        {moreError ? "Try again" : "Show more"}
      </button>
    </div>
  );
}

/** What `More` shows of a function that reads a page. */
export function useReading(read: () => Promise<void>): Reading {
  const [isReading, setReading] = useState(false);
  const [moreError, setError] = useState<Error>();
  const readMore = useCallback(() => {
    setReading(true);
    setError(undefined);
    read()
      .catch(setError)
      .finally(() => setReading(false));
  }, [read]);
  return { readMore, isReading, moreError };
}
