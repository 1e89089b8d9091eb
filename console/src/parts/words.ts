/** Numbers, times and states in words. */
import type { RunStatus } from "../events";
import type { UsageDocument } from "../wire";

const DAY = 86_400;

export function duration(seconds: number): string {
  if (seconds < 0.05) return "0 s";
  if (seconds < 9.95) return `${seconds.toFixed(1).replace(".0", "")} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(Math.floor(whole / 60), "min", whole % 60, "s");
  if (whole < DAY) return join(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  return join(Math.floor(whole / DAY), "d", Math.floor((whole % DAY) / 3600), "h");
}

function join(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`;
}

/** The time that is left, in its largest unit: people read it at a glance. */
export function timeLeft(seconds: number): string {
  if (seconds <= 0) return "over";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 59.5 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / DAY)} d`;
}

/** How long ago something was, in one short word. */
export function ago(at: number, now: number): string {
  const seconds = now - at;
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / 3600)} h`;
  const options: Intl.DateTimeFormatOptions =
    seconds < 6 * DAY ? { weekday: "short" } : { day: "numeric", month: "short" };
  return new Date(at * 1000).toLocaleDateString("en-GB", options);
}

export function clock(at: number, withSeconds = false): string {
  const options: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
  if (withSeconds) options.second = "2-digit";
  return new Date(at * 1000).toLocaleTimeString("en-GB", options);
}

export function exactTime(at: number): string {
  return new Date(at * 1000).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "medium" });
}

/** The time today, else the day with the time: "Sunday, 03:10", "1 Dec 2030, 07:00". */
export function moment(at: number, now: number): string {
  const date = new Date(at * 1000);
  if (date.toDateString() === new Date(now * 1000).toDateString()) return clock(at);
  const isNear = Math.abs(at - now) < 6 * DAY;
  const far: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", ...yearOf(date, now) };
  return `${date.toLocaleDateString("en-GB", isNear ? { weekday: "long" } : far)}, ${clock(at)}`;
}

/** The heading of a day in a list. */
export function dayName(at: number, now: number): string {
  const date = new Date(at * 1000);
  if (date.toDateString() === new Date(now * 1000).toDateString()) return "Today";
  if (date.toDateString() === new Date((now - DAY) * 1000).toDateString()) return "Yesterday";
  return date.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", ...yearOf(date, now) });
}

/** The year is told where it is another one than now. */
function yearOf(date: Date, now: number): Intl.DateTimeFormatOptions {
  return date.getFullYear() === new Date(now * 1000).getFullYear() ? {} : { year: "numeric" };
}

export function money(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "";
  if (cost === 0) return "$0";
  return cost < 0.005 ? "under $0.01" : `$${cost.toFixed(2)}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The tokens that models have used: a script uses none. */
export function tokens(usage: UsageDocument): number {
  return usage.promptTokens + usage.completionTokens - usage.scriptedTokens;
}

export function spent(usage: UsageDocument | null | undefined): string {
  if (!usage || tokens(usage) === 0) return "";
  return [`${tokens(usage).toLocaleString("en-GB")} tokens`, money(usage.cost)].filter(Boolean).join(" · ");
}

export const STATUS_WORDS: Record<RunStatus, string> = {
  queued: "queued",
  running: "running",
  open: "open",
  waiting: "waits",
  stalled: "rests",
  scheduled: "scheduled",
  done: "done",
  failed: "failed",
  cancelled: "stopped",
};

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The words of a name: `askPrice`, `ask_price` and `cms_askPrice` are "ask price". */
export function readable(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_.-]+/g, " ")
    .trim();
  return words.toLowerCase();
}
