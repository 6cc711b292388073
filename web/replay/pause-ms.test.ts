import { expect, test } from "vitest";
import { pauseMs } from "./pause-ms.js";

test("waits as long as it took, within bounds", () => {
  expect(pauseMs(400, 1)).toBe(400);
  expect(pauseMs(400, 4)).toBe(100);
  expect(pauseMs(0, 1)).toBe(60);
  expect(pauseMs(-5, 1)).toBe(60);
  expect(pauseMs(3_600_000, 16)).toBe(1_500);
});
