/** Months as a calendar shows them: whole weeks from Monday on, in the time zone of the browser. */

/** The first day of the month that an address names, such as 2026-12; that of today for any other text. */
export function readMonth(text: string | null, today: Date): Date {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? "");
  return found
    ? new Date(Number(found[1]), Number(found[2]) - 1, 1)
    : new Date(today.getFullYear(), today.getMonth(), 1);
}

export function shiftMonth(month: Date, step: number): Date {
  return new Date(month.getFullYear(), month.getMonth() + step, 1);
}

export function shiftDay(day: Date, step: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + step);
}

/** The days of the weeks that a month touches, week by week. */
export function weeksOf(month: Date): Date[][] {
  const before = (month.getDay() + 6) % 7;
  const length = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate();
  const weeks = Math.ceil((before + length) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, index) => shiftDay(month, week * 7 + index - before)),
  );
}

export function isSameDay(first: Date, second: Date): boolean {
  return first.toDateString() === second.toDateString();
}

/** Events by the ids of the days on which they happen, in their order. */
export function eventsByDay<T extends { at: number }>(events: T[]): Map<string, T[]> {
  const days = new Map<string, T[]>();
  for (const event of events) {
    const day = dayId(new Date(event.at * 1000));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return days;
}

/** A month in an address: 2026-12. */
export function monthId(month: Date): string {
  return dayId(month).slice(0, 7);
}

/** A day in an address: 2026-12-24. */
export function dayId(day: Date): string {
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((each) => String(each).padStart(2, "0"));
  return `${String(day.getFullYear()).padStart(4, "0")}-${month}-${date}`;
}

export function monthName(month: Date): string {
  return month.toLocaleDateString("en-GB", { month: "long", year: "numeric" });
}
