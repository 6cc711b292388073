import { afterEach, expect, test, vi } from "vitest";
import { localTime } from "./local-time.js";

afterEach(() => vi.unstubAllEnvs());

test("shows the time of the person's own time zone", () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(localTime(Date.UTC(2026, 0, 1, 20, 5, 9))).toBe("2026-01-02 05:05");
});
