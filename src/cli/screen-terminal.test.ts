import { expect, onTestFinished, test } from "vitest";
import { screenTerminal } from "./screen-terminal.js";

test("takes 80 columns and 24 rows where the terminal says 0", () => {
  const { columns, rows } = process.stdout;
  onTestFinished(() => void Object.assign(process.stdout, { columns, rows }));
  Object.assign(process.stdout, { columns: 0, rows: 0 });
  expect([screenTerminal.columns, screenTerminal.rows]).toEqual([80, 24]);
  Object.assign(process.stdout, { columns: 100, rows: 30 });
  expect([screenTerminal.columns, screenTerminal.rows]).toEqual([100, 30]);
});
