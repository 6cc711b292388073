import { expect, test } from "vitest";
import { progressLine } from "./progress-line.js";

function watched(isTTY: boolean) {
  const clock = { time: 0 };
  const written: string[] = [];
  const output = { isTTY, write: (text: string) => written.push(text) };
  const progress = progressLine("Indexing", output, () => clock.time);
  const at = (time: number, events: number) => {
    clock.time = time;
    progress.show({ sessions: 2, ofSessions: 1_000, events, ofEvents: 1_000_000 });
  };
  return { written, progress, at };
}

const LINE = "Indexing history: 12,345 of 1,000,000 events, 2 of 1000 sessions (1 %)";

test("shows nothing in the first second", () => {
  const { written, progress, at } = watched(true);
  at(999, 500);
  progress.end();
  expect(written).toEqual([]);
});

test("redraws one line in a terminal, with the total, and clears it at the end", () => {
  const { written, progress, at } = watched(true);
  at(1_000, 12_345);
  at(1_050, 12_400);
  at(1_100, 20_000);
  progress.end();
  progress.end();
  expect(written).toEqual([
    `\r${LINE}\u001b[K`,
    `\r${LINE.replace("12,345", "20,000").replace("1 %", "2 %")}\u001b[K`,
    "\r\u001b[K",
  ]);
});

test("writes a line now and then where nobody watches", () => {
  const { written, progress, at } = watched(false);
  for (const time of [1_000, 1_100, 5_000, 11_000, 12_000]) at(time, 12_345);
  progress.end();
  expect(written).toEqual([`${LINE}\n`, `${LINE}\n`]);
});
