import { expect, test } from "vitest";
import type { SessionEvent } from "../../call/index.js";
import { SessionBook } from "../../call/index.js";
import { exportSession } from "./export-session.js";
import { aRun, NOON, said } from "../history.samples.js";

const SECRET = `ghp_${"a1B2c3D4".repeat(5)}`;
const session = (events: readonly SessionEvent[]) => new SessionBook("s1", events).snapshot();
const text = (pieces: Iterable<string>) => [...pieces].join("");

const DAY = session([
  { type: "info-changed", at: NOON, info: { title: "Fix *it*", agent: "ada", cwd: "/home/ann" } },
  said(`use ${SECRET.slice(0, 9)}`, { messageId: "m", role: "user" }),
  said(SECRET.slice(9), { messageId: "m", role: "user" }),
  ...aRun("c1", { rawInput: { command: "npm test" }, output: "1 passed\n" }),
]);

test("ndjson has the session, its messages and calls, and its questions, one a line", () => {
  const lines = text(exportSession(DAY, "ndjson")).trimEnd().split("\n");
  const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(values.map(({ type }) => type)).toEqual(["session", "message", "call"]);
  expect(values[0]).toMatchObject({ sessionId: "s1", redacted: true, info: { agent: "ada" } });
  expect(values[2]).toMatchObject({ call: { toolCallId: "c1", state: { status: "done" } } });
});

test("marks a breach in every format", () => {
  const breach = { isAfterRefusal: false, rule: "deny execute" };
  const broken = session([...aRun("c1"), { type: "call-breached", toolCallId: "c1", at: NOON + 9, breach }]);
  const sentence = "Done without asking; rule deny execute denies it.";
  expect(text(exportSession(broken, "csv"))).toContain(`"${sentence}","${sentence}"\r\n`);
  expect(text(exportSession(broken, "ndjson"))).toContain('"breach":{"isAfterRefusal":false');
});

test("csv has a line for each call", () => {
  expect(text(exportSession(DAY, "csv"))).toBe(
    [
      '"announced","toolCallId","tool","kind","title","status","decidedBy","who","rule","waitedMs","ranMs","sentence","breach"',
      '"2026-01-02T12:00:00.000Z","c1","terminal","execute","Run c1","done","rule","","listing","","5","",""',
      "",
    ].join("\r\n"),
  );
});

test("secrets are taken out, also those that came in pieces, unless they are asked for", () => {
  expect(text(exportSession(DAY, "ndjson"))).not.toContain(SECRET.slice(9));
  expect(text(exportSession(DAY, "ndjson", { redacted: false }))).toContain(SECRET);
});

test("keeps what an agent wrote in one line of ndjson", () => {
  const lines = text(exportSession(session([said("a\u2028b\u2029c\nd")]), "ndjson"));
  expect(lines.split(/[\n\u2028\u2029]/u)).toHaveLength(3);
});
