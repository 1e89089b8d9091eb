import { useEffect, useState } from "react";
import { ago, exactTime, timeLeft } from "./words";

/** The time, again after each pause. Lists tick by the minute, a countdown by the second. */
export function useNow(seconds = 30): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return now;
}

/** How long ago something was; the exact time is its title. `isPast`: as part of a sentence, "6 min ago". */
export function Ago({ at, isPast = false }: { at: number; isPast?: boolean }) {
  const now = useNow();
  const words = ago(at, now);
  const past = words === "now" ? "just now" : / (min|h)$/.test(words) ? `${words} ago` : words;
  return <time title={exactTime(at)}>{isPast ? past : words}</time>;
}

/** The time that is left for an answer. It ticks by the second in its last two minutes. */
export function Left({ until, label = " left" }: { until: number; label?: string }) {
  const now = useNow(until - Date.now() / 1000 < 120 ? 1 : 15);
  const seconds = until - now;
  return (
    <time role="timer" title={exactTime(until)}>
      {seconds > 0 ? timeLeft(seconds) + label : "time is over"}
    </time>
  );
}
