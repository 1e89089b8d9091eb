import { expect, test } from "vitest";
import { dayName, moment } from "./words";

const NOW = new Date(2026, 10, 28, 12).getTime() / 1000;
const at = (...parts: [number, number, number, number]) => new Date(...parts).getTime() / 1000;

test("a moment has its year where it is another one than now", () => {
  expect(moment(at(2026, 10, 28, 7), NOW)).toBe("07:00");
  expect(moment(at(2026, 11, 1, 7), NOW)).toBe("Tuesday, 07:00");
  expect(moment(at(2026, 11, 24, 7), NOW)).toBe("24 Dec, 07:00");
  expect(moment(at(2030, 11, 24, 7), NOW)).toBe("24 Dec 2030, 07:00");
  expect(dayName(at(2025, 0, 6, 7), NOW)).toContain("2025");
});
