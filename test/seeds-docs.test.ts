/** docs/seeds.md keeps its word: the table is whole, its links lead somewhere, and the rows about the wire are true. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Receiver, VERSIONS } from "../src/acp/codec.samples.js";
import { V1Encoder } from "../src/acp/v1/encoder.js";
import { SessionBook } from "../src/call/index.js";
import type { SessionEvent } from "../src/call/index.js";
import { rulesFromAuths } from "../src/settings/index.js";

const page = readFileSync(new URL("../docs/seeds.md", import.meta.url), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe("the table", () => {
  test("has each difference with its reason, under one of the five documents", () => {
    expect([...new Set(rows.map(([document]) => document))]).toEqual([
      "ACP",
      "crate",
      "crow",
      "fast-agent",
      "AAP",
    ]);
    for (const row of rows) {
      expect(row).toHaveLength(4);
      for (const cell of row) expect(cell, row.join(" | ")).not.toBe("");
    }
  });

  test("links to headings that exist", () => {
    const headings = readFileSync(new URL("../docs/aap.md", import.meta.url), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("#"))
      .map((line) => line.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-"));
    const links = [...page.matchAll(/\]\(aap\.md#([\w-]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(0);
    for (const anchor of links) expect(headings).toContain(anchor);
  });
});

describe("on the wire", () => {
  const [v1] = VERSIONS;
  const start = { sessionUpdate: "tool_call", toolCallId: "c1", title: "Do it" };
  const update = { sessionUpdate: "tool_call_update", toolCallId: "c1" };

  function read(...updates: readonly object[]) {
    const far = new Receiver(v1, "lenient");
    far.receive(updates);
    return { call: far.call("c1"), repairs: far.repairs() };
  }

  /** The first message about a call, and the last. */
  function sent(...events: readonly SessionEvent[]) {
    const encoder = new V1Encoder();
    const book = new SessionBook("s");
    const updates = events.flatMap((event) => {
      book.applyAll([event]);
      const call = book.call("c1");
      return call ? encoder.encode(call) : [];
    });
    return { first: updates[0], last: updates.at(-1) };
  }

  const announced: SessionEvent = {
    type: "call-announced",
    toolCallId: "c1",
    at: 1,
    name: "write_file",
    title: "Write a",
    kind: "other",
    kindSource: "declared",
  };
  const ready: SessionEvent = { type: "input-ready", toolCallId: "c1", at: 2, rawInput: {} };

  test("a new call has its status, and no other default", () => {
    const { first } = sent(announced);
    expect(first).toMatchObject({ sessionUpdate: "tool_call", status: "pending" });
    expect(first).not.toHaveProperty("kind");
    expect(first).not.toHaveProperty("content");
  });

  test("a denied call is failed, with a sentence", () => {
    const decision = { by: "rule", rule: "no writing", at: 3 } as const;
    const { last } = sent(announced, ready, { type: "call-refused", toolCallId: "c1", at: 3, decision });
    expect(last).toMatchObject({ status: "failed" });
    expect(JSON.stringify(last)).toContain("Tool call denied by rule no writing. Nothing was run.");
  });

  test("a status does not go back, unknown content is left out, and a call needs no title", () => {
    expect(read({ ...start, status: "in_progress" }, { ...update, status: "pending" })).toMatchObject({
      call: { state: { status: "running" } },
      repairs: ["status-backwards"],
    });
    const content = [{ type: "hologram" }, { type: "content", content: { type: "text", text: "a" } }];
    expect(read({ ...start, content }).call?.content).toHaveLength(1);
    expect(read({ ...update, status: "in_progress", kind: "read" }).call?.title).not.toBe("");
  });

  test("a bare block is read as content", () => {
    const { call, repairs } = read({ ...start, content: [{ type: "text", text: "a" }] });
    expect(call?.content).toMatchObject([{ type: "content", content: { type: "text", text: "a" } }]);
    expect(repairs).toContain("bare-block");
  });
});

test("an allowing row of auths.md with a star is not imported, and a rejecting one is", () => {
  const row = (permission: string) => rulesFromAuths(`| files | read* | ${permission} |`);
  expect(row("allow_always").rules).toEqual([]);
  expect(row("allow_always").skipped).toHaveLength(1);
  expect(row("reject_always").rules).toEqual([{ deny: "read*", server: "files" }]);
});
