import { expect, test } from "vitest";
import { dayId, monthId, readMonth, shiftMonth, weeksOf } from "./months";

const TODAY = new Date(2026, 10, 28, 12);

test("a month is shown in whole weeks from Monday on", () => {
  const weeks = weeksOf(readMonth("2026-12", TODAY));
  expect([dayId(weeks[0]![0]!), dayId(weeks.at(-1)!.at(-1)!), weeks.length]).toEqual(["2026-11-30", "2027-01-03", 5]);
  expect(weeksOf(readMonth("2027-02", TODAY))).toHaveLength(4);
  expect(weeksOf(readMonth("2026-08", TODAY))).toHaveLength(6);
});

test("an address that names no month shows the one of today", () => {
  for (const text of [null, "", "2026-13", "soon", "2026-1"]) expect(monthId(readMonth(text, TODAY))).toBe("2026-11");
});

test("months go on over the turn of the year", () => {
  expect(monthId(shiftMonth(readMonth("2026-12", TODAY), 1))).toBe("2027-01");
  expect(monthId(shiftMonth(readMonth("2027-01", TODAY), -2))).toBe("2026-11");
});
