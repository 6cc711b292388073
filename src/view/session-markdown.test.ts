import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../call/index.js";
import { diffContent, SessionBook } from "../call/index.js";
import { hostileSessions, INVISIBLE } from "./hostile.samples.js";
import { sessionMarkdown } from "./session-markdown.js";

const NOON = Date.UTC(2026, 0, 2, 12);
const page = (...events: readonly SessionEvent[]) =>
  [...sessionMarkdown(new SessionBook("s1", events).snapshot())].join("");

function message(text: string, role: "user" | "agent" = "agent"): SessionEvent {
  return { type: "message-chunk", at: NOON, messageId: `m-${role}`, role, block: { type: "text", text } };
}

/** A command from its announcement to its end. */
function commandRun(toolCallId: string, parentToolCallId?: string): readonly SessionEvent[] {
  const call = {
    name: "terminal",
    title: `Run ${toolCallId}`,
    kind: "execute",
    kindSource: "declared",
  } as const;
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  const decision = { by: "rule", rule: "listing", reason: "it lists", at: NOON + 1 } as const;
  return [
    { type: "call-announced", toolCallId, at: NOON, ...call, ...parent },
    { type: "input-ready", toolCallId, at: NOON, rawInput: { command: "npm test" } },
    { type: "call-cleared", toolCallId, at: NOON + 1, decision },
    { type: "run-started", toolCallId, at: NOON + 2 },
    { type: "content-appended", toolCallId, at: NOON + 2, content: { type: "terminal", terminalId: "t" } },
    { type: "terminal-output", toolCallId, at: NOON + 2, terminalId: "t", text: "1 passed\n" },
    { type: "call-done", toolCallId, at: NOON + 7 },
  ];
}

test("is a page to read, with the headlines that the terminal shows", () => {
  const info = { title: "Fix *it*", agent: "ada", cwd: "/home/ann" };
  expect(page({ type: "info-changed", at: NOON, info }, message("Go", "user"), ...commandRun("c1")))
    .toBe(`# Fix \\*it\\*

- Session: \`s1\`
- Agent: \`ada\`
- Folder: \`/home/ann\`

## User · 2026-01-02T12:00:00.000Z

\`\`\`
Go
\`\`\`

## ✓ ❯ Run c1 (execute, 5 ms, allowed by rule listing) · 2026-01-02T12:00:00.000Z

- Tool: \`terminal\`
- Status: \`done\`
- Reason: \`it lists\`
- Decided on: \`npm test\`

Input:

\`\`\`json
{
  "command": "npm test"
}
\`\`\`

\`\`\`
1 passed
\`\`\`
`);
});

test("shows a diff as rows, a nested call below its parent, and the end of a turn that stopped early", () => {
  const content = diffContent("/app/a.ts", "one\n", "two\n");
  const shown = page(
    { type: "turn-started", at: NOON, turnId: "t1" },
    ...commandRun("c1").slice(0, 4),
    { type: "content-appended", toolCallId: "c1", at: NOON + 3, content },
    ...commandRun("c2", "c1"),
    { type: "call-failed", toolCallId: "c1", at: NOON + 8, error: "Broke.\nIn line 2." },
    { type: "turn-stopped", at: NOON + 9, turnId: "t1", stopReason: "max_tokens", error: "Too long." },
  );
  expect(shown).toContain("\n`edit /app/a.ts`\n\n```diff\n- one\n+ two\n```\n");
  expect(shown).toContain("\n### ✓ ❯ Run c2 (");
  expect(shown).toContain("\nError:\n\n```\nBroke.\nIn line 2.\n```\n");
  expect(shown).toContain(
    "## Turn stopped: max\\_tokens · 2026-01-02T12:00:00.009Z\n\n- Error: `Too long.`\n",
  );
});

test("marks a call that was undone, and one that broke the rules", () => {
  const undone = page(...commandRun("c1"), { type: "call-undone", toolCallId: "c1", at: NOON + 9 });
  expect(undone).toContain("\n## ↶ ❯ Run c1 (execute, undone, ");
  expect(undone).toContain("\n- Status: `undone`\n");

  const breach = { isAfterRefusal: false, rule: "deny execute" };
  const broken = page(...commandRun("c1"), { type: "call-breached", toolCallId: "c1", at: NOON + 9, breach });
  const sentence = "Done without asking; rule deny execute denies it.";
  expect(broken).toContain("\n## ⚑ ❯ Run c1 (execute, breach, ");
  expect(broken).toContain(`\n- Status: \`breach\`\n- Breach: \`${sentence}\`\n`);
  expect(broken.split(sentence)).toHaveLength(2);
});

test("lets nothing inside close a fence, and nothing hide", () => {
  const hostile = fc.array(
    fc.constantFrom("`", "```", "``````", "~~~", "\n", "\r", "# x", "\u001b[2J", "\u202e", "<b>", "|", " "),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const shown = page(message(parts.join("")));
      const lines = shown.split("\n");
      const open = lines.findIndex((line) => /^`{3,}$/.test(line));
      const fence = lines[open] ?? "";
      const closing = lines
        .slice(open + 1)
        .filter((line) => /^`+$/.test(line) && line.length >= fence.length);
      expect(closing).toEqual([fence]);
      for (const hidden of ["\u001b", "\u202e", "\r"]) expect(shown).not.toContain(hidden);
    }),
  );
});

test("gives an agent no line of its own outside of a fence", () => {
  const ours =
    /^$|^#{1,6} .*|^- [A-Z][\w ,-]*: `[^`]*`$|^`[^`]+`$|^(?:Input|Error):$|^… .* left out …$|^\(cut off, and repeated below\)$/;
  fc.assert(
    fc.property(hostileSessions, (session) => {
      const shown = [...sessionMarkdown(session)].join("");
      expect(shown.replaceAll("\t", "")).not.toMatch(INVISIBLE);
      let fence: string | undefined;
      for (const line of shown.split("\n")) {
        const [, ticks] = /^(`{3,})(?:json|diff)?$/.exec(line) ?? [];
        if (fence === undefined && ticks !== undefined) fence = ticks;
        else if (fence === undefined) expect(line).toMatch(ours);
        else if (line === fence) fence = undefined;
      }
      expect(fence).toBeUndefined();
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) },
  );
});
