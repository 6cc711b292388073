import { expect, test } from "vitest";
import { qrCode, qrText } from "./qr-code.js";

const ADDRESS = "https://desk.example:4320/login#K7QF-2M9X-TT43";

test("makes square rows without a margin, whose level of correction is M", () => {
  const rows = qrCode(ADDRESS);
  expect(rows.map((row) => row.length)).toEqual(rows.map(() => rows.length));
  expect(rows[0]).toMatch(/^1111111.*1111111$/);
  // The first bits of the format beside the upper left mark: 00 is M, under the mask 10 of the standard.
  expect(rows[8]?.slice(0, 2)).toBe("10");
});

test("draws the light modules in a terminal, with a margin", () => {
  const lines = qrText(ADDRESS).split("\n");
  const width = qrCode(ADDRESS).length + 4;
  expect(lines.map((line) => line.length)).toEqual(lines.map(() => width));
  expect(lines[0]).toBe("█".repeat(width));
});
