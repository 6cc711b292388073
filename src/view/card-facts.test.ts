import { expect, test } from "vitest";
import type { ToolCallStatus } from "../call/index.js";
import { TOOL_KINDS, visibleText } from "../call/index.js";
import { kindIcon, statusMark } from "./card-facts.js";
import { columns } from "./visible-line.js";

const STATUSES: readonly ToolCallStatus[] = [
  "drafting",
  "ready",
  "waiting",
  "cleared",
  "running",
  "done",
  "failed",
  "refused",
  "cancelled",
  "unknown",
];

const signs = [
  ...TOOL_KINDS.map(kindIcon),
  ...[...STATUSES, "command-failed" as const, "undone" as const, "breach" as const].map(statusMark),
];

test("uses each sign for one kind or status only", () => {
  expect(signs).toHaveLength(23);
  expect(new Set(signs).size).toBe(23);
});

test("uses visible signs of one column that no terminal draws as an emoji", () => {
  for (const sign of signs) {
    expect(Array.from(sign)).toHaveLength(1);
    expect(columns(sign)).toBe(1);
    expect(visibleText(sign)).toBe(sign);
    expect(sign).toMatch(/^(?:[!-~]|\P{Emoji})$/u);
  }
});

test("keeps the published signs", () => {
  expect(TOOL_KINDS.map((kind) => `${kindIcon(kind)} ${kind}`).join(", ")).toBe(
    "≡ read, ✎ edit, ⌫ delete, → move, ⌕ search, ❯ execute, ∴ think, ↓ fetch, ⇄ switch_mode, • other",
  );
  expect(STATUSES.map((status) => `${statusMark(status)} ${status}`).join(", ")).toBe(
    "… drafting, ○ ready, ? waiting, ◎ cleared, ► running, ✓ done, ✗ failed, ⊘ refused, – cancelled, ¿ unknown",
  );
});
