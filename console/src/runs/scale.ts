/** Times of a run as places on a line from 0 to 100. A long wait is cut to a fixed width. */
import type { Course } from "./lanes";

const WAIT_WIDTH = 14;

export interface Scale {
  x: (at: number) => number;
  gaps: { x: number; width: number; seconds: number }[];
  ticks: { x: number; at: number; isAfterGap: boolean }[];
}

export function scaleOf({ from, to, waits }: Course): Scale {
  const whole = Math.max(to - from, 0.001);
  const long = waits.filter(([start, end]) => end - start > whole * 0.1);
  const width = Math.min(WAIT_WIDTH, 60 / Math.max(long.length, 1));
  const waited = long.reduce((sum, [start, end]) => sum + end - start, 0);
  const active = Math.max(whole - waited, 0.001);
  const perSecond = (100 - width * long.length) / active;

  function x(at: number): number {
    let place = 0;
    let since = from;
    for (const [start, end] of long) {
      if (at <= start) return place + Math.max(0, at - since) * perSecond;
      place += (start - since) * perSecond;
      if (at < end) return place + ((at - start) / (end - start)) * width;
      place += width;
      since = end;
    }
    return Math.min(100, place + (at - since) * perSecond);
  }

  const gaps = long.map(([start, end]) => ({ x: x(start), width, seconds: end - start }));
  const ticks = [
    { x: 0, at: from, isAfterGap: false },
    ...long.map(([, end]) => ({ x: x(end), at: end, isAfterGap: true })),
  ];
  if (long.length === 0)
    ticks.push({ x: 50, at: from + whole / 2, isAfterGap: false }, { x: 100, at: to, isAfterGap: false });
  return { x, gaps, ticks };
}
