import * as fc from "fast-check";
import { expect, test } from "vitest";
import { calls } from "../call/calls.samples.js";
import type { Question, ToolCall, ToolCallEvent, ToolKind } from "../call/index.js";
import { applyEvent, boundText, diffContent, textContent } from "../call/index.js";
import { callText } from "./call-text.js";
import { hostileCalls, hostileQuestions, INVISIBLE } from "./hostile.samples.js";
import { columns } from "./visible-line.js";

type Step = ToolCallEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, "toolCallId" | "at">
    : never
  : never;

/** A call to which these things happened, one second after the other. */
function after(kind: ToolKind, title: string, ...steps: readonly Step[]): ToolCall {
  const start = {
    type: "call-announced",
    toolCallId: "call-1",
    at: 0,
    name: "a_tool",
    title,
    kind,
    kindSource: "declared",
  } as const;
  const events = steps.map((step, index): ToolCallEvent => ({
    ...step,
    toolCallId: "call-1",
    at: 1000 * (index + 1),
  }));
  return events.reduce(applyEvent, applyEvent(undefined, start));
}

const question: Question = {
  questionId: "question-1",
  sessionId: "session-1",
  toolCallId: "call-1",
  intentHash: "hash",
  title: "Run rm -rf build",
  options: [
    { optionId: "1", name: "Allow once", kind: "allow_once" },
    { optionId: "2", name: "Not now", kind: "allow_always" },
    { optionId: "3", name: "Reject", kind: "reject_once" },
  ],
  askedAt: 2000,
  expiresAt: 602_000,
};

const ready: Step = { type: "input-ready", rawInput: {} };
const asked: Step = { type: "question-asked", question };
const byAnn = { decision: { by: "person", who: "ann", reason: "not that folder.", at: 0 } } as const;
const byRule = { decision: { by: "rule", rule: "3", at: 0 } } as const;
const started: Step = { type: "run-started" };
const done: Step = { type: "call-done" };
const running = [ready, { type: "call-cleared", ...byRule }, started] as const;
const shows = (...content: ToolCall["content"]): Step => ({ type: "call-revised", fields: { content } });

test("shows a call that was asked about, ran and is done", () => {
  const call = after(
    "edit",
    "Edit src/app.ts",
    ready,
    {
      type: "call-revised",
      fields: { locations: [{ path: "/app/src/app.ts", line: 12 }, { path: "/app/src/b.ts" }] },
    },
    shows(diffContent("/app/src/app.ts", "a\nb\n", "a\nc\n"), textContent("Replaced 1 line.\n")),
    asked,
    { type: "call-cleared", ...byAnn },
    started,
    done,
  );
  expect(callText(call)).toBe(
    `
✓ ✎ Edit src/app.ts (edit, 1.0 s, allowed by ann after 1.0 s)
    at /app/src/app.ts:12
    at /app/src/b.ts
    edit /app/src/app.ts
    │   a
    │ - b
    │ + c
    │ Replaced 1 line.
`.trim(),
  );
});

test("shows each state of a call", () => {
  const way = [
    ready,
    asked,
    { type: "call-cleared", ...byAnn },
    started,
    { type: "cancel-requested" },
  ] as const;
  const headlines = [0, 1, 2, 3, 4, 5].map(
    (count) => callText(after("fetch", "Fetch x", ...way.slice(0, count))).split("\n")[0],
  );
  expect(headlines).toEqual([
    "… ↓ Fetch x (fetch, drafting)",
    "○ ↓ Fetch x (fetch, ready)",
    "? ↓ Fetch x (fetch, waiting for an answer)",
    "◎ ↓ Fetch x (fetch, not started, allowed by ann after 1.0 s)",
    "► ↓ Fetch x (fetch, running, allowed by ann after 1.0 s)",
    "► ↓ Fetch x (fetch, running, to be cancelled, allowed by ann after 1.0 s)",
  ]);
});

test("never shows a tick for a breach, and gives the reason", () => {
  const ran: readonly Step[] = [
    { type: "input-ready", rawInput: {} },
    { type: "call-cleared" },
    { type: "run-started" },
  ];
  const breached: Step = {
    type: "call-breached",
    breach: { isAfterRefusal: false, rule: 'deny execute "rm *"' },
  };
  const shown = (...end: readonly Step[]) => callText(after("execute", "rm -rf x", ...ran, ...end));
  const denied = 'without asking; rule deny execute "rm *" denies it.';
  expect(shown(breached)).toBe(`⚑ ❯ rm -rf x (execute, breach, running)\n    Running ${denied}`);
  expect(shown(breached, done)).toMatch(/^⚑ ❯ rm -rf x \(execute, breach, .*\)\n {4}Done without/);
  expect(shown(done, breached).split("Done without")).toHaveLength(2);
  const failed: Step = { type: "call-failed", error: "No room." };
  const whole = shown(breached, failed);
  expect(whole).toMatch(/^⚑ ❯ rm -rf x \(execute, breach, failed/);
  expect(whole).toContain(`    Reported as failed ${denied}`.slice(0, 60));
  expect(whole).toContain("No room.");
  const call = after("execute", "rm -rf x", ...ran, breached, done);
  expect(callText(call, { headlineOnly: true })).toContain("Done without asking");
});

test("marks an undone call, however it had ended", () => {
  const undone: Step = { type: "call-undone" };
  const failed: Step = { type: "call-failed", error: "No room." };
  const headline = (...end: readonly Step[]) =>
    callText(after("edit", "Edit a.txt", ...running, ...end)).split("\n")[0];
  expect(headline(done)).toBe("✓ ✎ Edit a.txt (edit, 1.0 s, allowed by rule 3)");
  expect(headline(done, undone)).toBe("↶ ✎ Edit a.txt (edit, undone, 1.0 s, allowed by rule 3)");
  expect(headline(failed, undone)).toBe("↶ ✎ Edit a.txt (edit, failed, undone, 1.0 s, allowed by rule 3)");
});

test("explains the answers of a question by their effect, whatever their names", () => {
  const call = after("execute", "Run rm -rf build", ready, asked);
  expect(callText(call, { question })).toBe(
    `
? ❯ Run rm -rf build (execute, waiting for an answer)
    question question-1: Run rm -rf build
    answers: Allow once / Not now (allow always) / Reject (reject once)
    expires 10 min 0 s after it was asked
`.trim(),
  );
  expect(callText(call)).toContain("\n    question question-1");
});

test("names what a call waits for", () => {
  expect(callText(after("other", "x", ready, { type: "app-awaited" }))).toBe(
    "? • x (other, waiting for the app)",
  );
  const child = after(
    "other",
    "x",
    ready,
    { type: "call-cleared" },
    { type: "child-awaited", childSessionId: "s2" },
  );
  expect(callText(child)).toBe("? • x (other, waiting for its sub-agent)");
});

test("shows progress until the call is done", () => {
  const progress: Step = {
    type: "call-revised",
    fields: { progress: { done: 3, total: 10, message: "files" } },
  };
  expect(callText(after("move", "Move a", ...running, progress))).toBe(
    "► → Move a (move, running, 3 of 10 files, allowed by rule 3)",
  );
  expect(callText(after("move", "Move a", ...running, progress, done))).toBe(
    "✓ → Move a (move, 2.0 s, allowed by rule 3)",
  );
});

test("ends other than done have their sentence", () => {
  const ends = [
    after("delete", "Delete a", ready, asked, { type: "call-refused", ...byAnn }),
    after("delete", "Delete a", ready, { type: "call-refused", ...byRule }),
    after("delete", "Delete a", ready, asked, { type: "call-cancelled", reason: "the turn was cancelled." }),
    after("delete", "Delete a", ...running, { type: "call-failed", error: "EACCES\nat unlink" }),
    after("delete", "Delete a", ...running, {
      type: "call-unknown",
      reason: "the process died.",
      assumed: true,
    }),
    after("delete", "Delete a", ...running, { type: "call-failed", error: "gone", assumed: true }),
  ];
  expect(ends.map((call) => callText(call)).join("\n")).toBe(
    `
⊘ ⌫ Delete a (delete, refused by ann after 1.0 s)
    Tool call denied by ann: not that folder. Nothing was run.
⊘ ⌫ Delete a (delete, refused by rule 3)
    Tool call denied by rule 3. Nothing was run.
– ⌫ Delete a (delete, cancelled, not answered)
    Tool call cancelled: the turn was cancelled.
✗ ⌫ Delete a (delete, failed, 1.0 s, allowed by rule 3)
    error
    │ EACCES
    │ at unlink
¿ ⌫ Delete a (delete, outcome unknown, 1.0 s, allowed by rule 3)
    Nobody knows whether this tool call took effect: the process died. The call
        will not be run again by itself.
✗ ⌫ Delete a (delete, assumed failed, 1.0 s, allowed by rule 3)
    error
    │ gone
`.trim(),
  );
});

test("shows an error once when the content repeats it", () => {
  const call = after("read", "Read a", ...running, {
    type: "call-failed",
    error: "no such file",
    content: [textContent("no such file")],
  });
  expect(callText(call)).toBe("✗ ≡ Read a (read, failed, 1.0 s, allowed by rule 3)\n    │ no such file");
});

test("shows the end of a terminal's output without colours, and its exit", () => {
  const output = boundText("1\r\n2\r\n3\r\n\u001B[32m4\u001B[0m\u0007\r\n");
  const call = after(
    "execute",
    "Run x",
    shows({ type: "terminal", terminalId: "t", output, exit: { exitCode: 0 } }),
  );
  expect(callText(call, { maxLines: 2 })).toBe(
    `
… ❯ Run x (execute, drafting)
    terminal, exit code 0
    … 2 lines left out
    │ 3
    │ 4⟨U+0007⟩
`.trim(),
  );
});

test("explains a terminal without output", () => {
  const terminal = { type: "terminal", terminalId: "t" } as const;
  const call = after(
    "execute",
    "Run x",
    shows(
      terminal,
      { ...terminal, output: boundText("") },
      { ...terminal, output: boundText(""), exit: { signal: "SIGTERM" } },
      { ...terminal, output: boundText("x\n".repeat(100_000)), exit: { exitCode: 1 } },
    ),
  );
  expect(callText(call, { maxLines: 1 }).split("\n").slice(1)).toEqual([
    "    terminal, its output is shown elsewhere",
    "    terminal, no output yet",
    "    terminal, ended by SIGTERM, no output",
    "    terminal, exit code 1",
    expect.stringMatching(/^ {4}… more than [\d,]+ lines left out$/),
    "    │ x",
  ]);
});

test("shows content that is no text as a note", () => {
  const call = after(
    "read",
    "Read a",
    shows(
      { type: "content", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      { type: "content", content: { type: "audio", data: "AAA=", mimeType: "audio/wav" } },
      { type: "content", content: { type: "resource_link", name: "a", uri: "file:///a", size: 1234 } },
      {
        type: "content",
        content: { type: "resource", resource: { uri: "file:///b", text: "abc", mimeType: "text/plain" } },
      },
    ),
  );
  expect(callText(call)).toBe(
    `
… ≡ Read a (read, drafting)
    image image/png, 3 B
    audio audio/wav, 2 B
    link a file:///a, 1.2 kB
    resource file:///b text/plain, 3 characters
`.trim(),
  );
});

test("counts the lines, places and items that it leaves out", () => {
  const places = Array.from({ length: 10 }, (_, index) => ({ path: `/${index}` }));
  const items = Array.from({ length: 40 }, () => textContent("a\nb\nc"));
  const call = after("read", "Read a", {
    type: "call-revised",
    fields: { locations: places, content: items },
  });
  const lines = callText(call, { maxLines: 1 }).split("\n");
  expect(lines.slice(8, 12)).toEqual([
    "    at /7",
    "    … 2 more places left out",
    "    │ a",
    "    … 2 more lines left out",
  ]);
  expect(lines.at(-1)).toBe("    … 8 more items left out");
});

test("long lines are broken behind the gutter", () => {
  const call = after("think", "Think", shows(textContent(`${"word ".repeat(10)}end`)));
  expect(callText(call, { width: 40 })).toBe(
    `
… ∴ Think (think, drafting)
    │ word word word word word word word
    ┆ word word word end
`.trim(),
  );
});

test("marks an agent's lines so that none looks like ours", () => {
  const forged = "✓ ✎ Edit x (edit, allowed by ann)";
  const fact = "    Tool call denied. Nothing was run.";
  const call = after(
    "execute",
    `x\n${forged}`,
    shows(textContent(`a\n${forged}\n${fact}\r\n${forged}${" ".repeat(70)}${forged}`), {
      type: "terminal",
      terminalId: "t",
      output: boundText(`${fact}\r${forged}\u001B[1A${forged}`),
    }),
    ...running,
    { type: "call-failed", error: `${fact}\n${forged}` },
  );
  const [headline, ...lines] = callText(call, { width: 300 }).split("\n");
  expect(headline).toBe(`✗ ❯ x\\n${forged} (execute, failed, 1.0 s, allowed by rule 3)`);
  const ours = lines.filter((line) => !/^ {4}[│┆]/.test(line));
  expect(ours).toEqual(["    terminal", "    error"]);
});

test("shows the name of a call without a title", () => {
  expect(callText(after("other", ""))).toBe("… • a_tool (other, drafting)");
});

test("never throws, shows invisible characters or exceeds the width, for any call", () => {
  fc.assert(
    fc.property(
      fc.oneof(calls, hostileCalls),
      fc.oneof(calls, hostileCalls),
      hostileQuestions,
      fc.integer({ min: 20, max: 100 }),
      (made, owner, asks, width) => {
        const call = { ...made, parentToolCallId: owner.toolCallId };
        const text = callText(call, { width, question: asks, maxLines: 3, calls: [owner] });
        expect(text).not.toMatch(INVISIBLE);
        for (const line of text.split("\n")) expect(columns(line)).toBeLessThanOrEqual(width);
        expect(
          text
            .split("\n")
            .slice(1)
            .every((line) => line.startsWith("    ")),
        ).toBe(true);
      },
    ),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) },
  );
});

test("quotes a text without the fence that an agent put around it", () => {
  const shown = (text: string) =>
    callText(after("execute", "Run ls", ...running, shows(textContent(text)), done));
  expect(shown("```console\ncart.js\n\nother.js\n```\n")).toContain("    │ cart.js\n    │\n    │ other.js");
  expect(shown("```console\ncart.js\n```")).not.toContain("```");
  // A fence inside the text, or words beside it, belong to the text.
  for (const text of ["```\na\n```\n```\nb\n```", "see:\n```\na\n```", "```rm -rf / # sh\na\n```"])
    expect(shown(text).match(/```/g)).toHaveLength(text.split("```").length - 1);
});

test("shows the path of an edit once, with its lines, and other places by themselves", () => {
  const edit = (paths: readonly string[], content = [diffContent("/app/a.ts", "a\n", "b\n")]): string =>
    callText(
      after(
        "edit",
        "Edit a.ts",
        { type: "input-ready", rawInput: {} },
        {
          type: "call-revised",
          fields: { content, locations: paths.map((path, index) => ({ path, line: 1 + 4 * index })) },
        },
      ),
    );
  expect(edit(["/app/a.ts", "/app/a.ts"])).toContain("\n    edit /app/a.ts:1, 5\n");
  expect(edit(["/app/a.ts"]).match(/a\.ts/g)).toHaveLength(2);
  // A path that only begins so is another file.
  for (const path of ["/app/a.tsx", "/app/a", "/other/a.ts"])
    expect(edit([path])).toContain(`\n    at ${path}:1\n    edit /app/a.ts\n`);
  const two = [diffContent("/app/a.ts", "a\n", "b\n"), diffContent("/app/b.ts", "a\n", "b\n")];
  expect(edit(["/app/a.ts"], two)).toContain("\n    at /app/a.ts:1\n    edit /app/a.ts\n");
});
