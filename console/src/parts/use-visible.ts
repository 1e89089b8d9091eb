import { type RefObject, useEffect, useMemo, useState } from "react";

const MORE = 600;
const ASSUMED_HEIGHT = 900;

export interface Visible {
  /** The first row in view, and the one behind the last. */
  first: number;
  end: number;
  /** The heights of what is above and below, in pixels. */
  above: number;
  below: number;
}

/** The rows of a long list that are in view or near it. The height of each row is known before it is drawn. */
export function useVisible(box: RefObject<HTMLElement | null>, heights: number[]): Visible {
  const [view, setView] = useState({ top: 0, height: ASSUMED_HEIGHT });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight || ASSUMED_HEIGHT });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);

  const starts = useMemo(() => {
    const places = [0];
    for (const height of heights) places.push(places.at(-1)! + height);
    return places;
  }, [heights]);

  const total = starts.at(-1)!;
  const first = Math.max(0, starts.findIndex((start) => start > view.top - MORE) - 1);
  const past = starts.findIndex((start) => start >= view.top + view.height + MORE);
  const end = past < 0 ? heights.length : Math.min(past, heights.length);
  return { first, end, above: starts[first]!, below: total - starts[end]! };
}
