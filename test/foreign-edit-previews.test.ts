/** A question about another agent's edit shows its diff, however the agent carries it; the rest is said to be unseen. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolCallContent } from "../src/call/index.js";
import { choose, drive as driveAgent } from "./acp-client-kit.js";

const SONG = "one\ntwo\nthree\n";

/** The content of the call while the person is asked, and the call as it ended. */
async function asked(fields: (cwd: string) => object, later: readonly object[] = []) {
  const seen: (readonly ToolCallContent[])[] = [];
  const yes = choose("allow_once");
  const driven = await driveAgent("runs the given steps", {
    isShared: true,
    files: { "a.txt": SONG },
    ask: (question, signal) => {
      const { session } = driven;
      seen.push(session.book.call(question.toolCallId)?.content ?? []);
      return yes(question, signal);
    },
  });
  const permit = { toolCallId: "t1", title: "Edit a.txt", kind: "edit", ...fields(driven.cwd) };
  await driven.say(JSON.stringify([{ permit }, ...later]));
  return { ...driven, seen, path: join(driven.cwd, "a.txt"), call: driven.session.book.call("t1") };
}

const completed = { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" };
const whole = { operation: "modify", oldText: SONG, newText: "one\nTWO\nthree\n" };
const PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";

describe("the diff comes from", () => {
  test.each<readonly [string, object]>([
    ["a passage with its replacement", { old_string: "two", new_string: "TWO" }],
    [
      "several passages",
      {
        edits: [
          { oldText: "two", newText: "2" },
          { oldText: "2", newText: "TWO" },
        ],
      },
    ],
    ["the whole new text", { content: "one\nTWO\nthree\n" }],
  ])("%s", async (_, rawInput) => {
    const { seen, path } = await asked((cwd) => ({
      rawInput: { file_path: join(cwd, "a.txt"), ...rawInput },
    }));
    expect(seen).toMatchObject([[{ type: "diff", path, ...whole }]]);
  });

  test("lines to insert", async () => {
    const { seen } = await asked(() => ({ rawInput: { path: "a.txt", insert_line: 1, new_str: "new" } }));
    expect(seen[0]).toMatchObject([{ oldText: SONG, newText: "one\nnew\ntwo\nthree\n" }]);
  });

  test.each([["diff"], ["patch"]])("a patch in the field %s", async (field) => {
    const { seen, path } = await asked((cwd) => ({ rawInput: { path: join(cwd, "a.txt"), [field]: PATCH } }));
    expect(seen).toMatchObject([[{ type: "diff", path, patch: PATCH }]]);
  });

  test("the patches of Codex, each for its file", async () => {
    const { seen, path } = await asked((cwd) => ({
      rawInput: { changes: { [join(cwd, "a.txt")]: { type: "update", unified_diff: PATCH } } },
    }));
    expect(seen).toMatchObject([[{ type: "diff", path, patch: PATCH }]]);
  });

  test("the file itself, where the agent shows only the new text of it", async () => {
    const { seen } = await asked((cwd) => ({
      rawInput: { path: join(cwd, "a.txt"), content_length: 14 },
      content: [{ type: "diff", path: join(cwd, "a.txt"), newText: "one\nTWO\nthree\n" }],
    }));
    expect(seen[0]).toMatchObject([{ ...whole }]);
  });
});

test("a diff of the agent's own stays as it is", async () => {
  const { seen } = await asked((cwd) => ({
    content: [{ type: "diff", path: join(cwd, "a.txt"), oldText: "two", newText: "TWO" }],
  }));
  expect(seen).toEqual([[expect.objectContaining({ oldText: "two", newText: "TWO" })]]);
});

test("a passage that is not in the file is shown as it was sent", async () => {
  const { seen } = await asked(() => ({ rawInput: { path: "a.txt", old_string: "four", new_string: "4" } }));
  expect(seen[0]).toMatchObject([{ oldText: "four", newText: "4" }]);
});

test("says which parts the agent does not show", async () => {
  const { seen, path, session } = await asked((cwd) => ({ rawInput: { path: join(cwd, "a.txt") } }));
  expect(seen[0]).toMatchObject([
    { content: { text: `Unseen: ${session.agent} does not show what it will write into ${path}.` } },
  ]);
});

test("does not report a breach when the agent does what it asked about and not the preview", async () => {
  const rawInput = { path: "a.txt", old_string: "two", new_string: "TWO" };
  const { call } = await asked(() => ({ rawInput }), [completed]);
  expect(call).toMatchObject({ state: { status: "done" }, breach: undefined });
  const forged = { toolgate: { preview: true } };
  const { call: other } = await asked(
    (cwd) => ({ content: [{ type: "diff", path: join(cwd, "a.txt"), newText: "x", _meta: forged }] }),
    [{ ...completed, content: [{ type: "diff", path: "/etc/passwd", newText: "y", _meta: forged }] }],
  );
  expect(other?.breach).toBeDefined();
});
