import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import type { SessionEvent, StepResponse } from "../call/index.js";
import { promptFromSession } from "./prompt-from-session.js";

const OWN = "vendor/model";
const signed = (signature: string) => ({ vendor: { signature } });

const chunk = (messageId: string, role: "user" | "agent" | "thought", text: string): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId,
  role,
  block: { type: "text", text },
});

const doneCall = (toolCallId: string, providerCallId: string): readonly SessionEvent[] => [
  {
    type: "call-announced",
    toolCallId,
    at: 1,
    name: "read_file",
    title: "Read",
    kind: "read",
    kindSource: "declared",
    providerCallId,
  },
  { type: "input-ready", toolCallId, at: 1, rawInput: { path: toolCallId } },
  { type: "call-cleared", toolCallId, at: 1 },
  { type: "run-started", toolCallId, at: 1 },
  { type: "call-done", toolCallId, at: 1, rawOutput: "ok" },
];

const step = (stepId: string, toolCallIds: readonly string[], answer?: StepResponse): SessionEvent => ({
  type: "step-ended",
  at: 1,
  turnId: "t1",
  stepId,
  toolCallIds,
  ...(answer && { answer }),
});

const callStep = (toolCallId: string, providerCallId: string, model = OWN): readonly SessionEvent[] => [
  ...doneCall(toolCallId, providerCallId),
  step(`of-${toolCallId}`, [toolCallId], {
    model,
    parts: [{ type: "tool-call", toolCallId, providerOptions: signed(toolCallId) }],
  }),
];

function sentMessages(model: string | undefined, ...events: readonly SessionEvent[]) {
  const started: SessionEvent = { type: "turn-started", at: 1, turnId: "t1" };
  const book = new SessionBook("s", [started, chunk("user-t1", "user", "go"), ...events]);
  const options = { maxResultCharacters: 1_000, ...(model !== undefined && { model }) };
  return promptFromSession(book.snapshot(), options).filter(({ role }) => role !== "user");
}

/** The ids of calls and results, in order. */
const sentIds = (model: string, ...events: readonly SessionEvent[]) =>
  sentMessages(model, ...events).flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => ("toolCallId" in part ? part.toolCallId : [])),
  );

const mixed: readonly SessionEvent[] = [
  chunk("s1-thought", "thought", "First."),
  chunk("s1", "agent", "Look: "),
  chunk("s1-thought", "thought", "Second."),
  ...doneCall("call_1", "toolu_1"),
  step("s1", ["call_1"], {
    model: OWN,
    parts: [
      { type: "reasoning", length: 6, providerOptions: signed("a") },
      { type: "text", length: 5 },
      { type: "reasoning", length: 0, providerOptions: signed("hidden") },
      { type: "text", length: 1 },
      { type: "reasoning", length: 7, providerOptions: signed("b") },
      { type: "tool-call", toolCallId: "call_1", providerOptions: signed("c") },
    ],
  }),
];

const result = (toolCallId: string) => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value: "ok" } },
  ],
});
const input = { path: "call_1" };

test("sends a response back to its model in its parts, in order, with all signatures", () => {
  expect(sentMessages(OWN, ...mixed)).toEqual([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "First.", providerOptions: signed("a") },
        { type: "text", text: "Look:" },
        // Nothing of it can be read, and it is signed all the same. The blank after it is left out.
        { type: "reasoning", text: "", providerOptions: signed("hidden") },
        { type: "reasoning", text: "Second.", providerOptions: signed("b") },
        {
          type: "tool-call",
          toolCallId: "toolu_1",
          toolName: "read_file",
          input,
          providerOptions: signed("c"),
        },
      ],
    },
    result("toolu_1"),
  ]);
});

const unsigned = [
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "First.Second." },
      { type: "text", text: "Look: " },
      { type: "tool-call", toolCallId: "call_1", toolName: "read_file", input },
    ],
  },
  result("call_1"),
];

test.each(["vendor/another", undefined])("sends text and calls without a signature to %s", (model) => {
  expect(sentMessages(model, ...mixed)).toEqual(unsigned);
});

test("sends a response without signatures when its text no longer is the signed one", () => {
  const [answer] = sentMessages(OWN, chunk("s1-thought", "thought", "[redacted]"), ...mixed);
  expect(JSON.stringify(answer)).toContain("[redacted]First.Second.");
  expect(JSON.stringify(answer)).not.toContain("signature");
});

test("adds a text to a response that has only thoughts, since providers refuse it otherwise", () => {
  const parts = [{ type: "reasoning", length: 0, providerOptions: signed("a") }] as const;
  expect(sentMessages(OWN, step("s1", [], { model: OWN, parts }))).toEqual([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "", providerOptions: signed("a") },
        { type: "text", text: "(no words)" },
      ],
    },
  ]);
  expect(sentMessages(OWN, step("s1", []))).toEqual([
    { role: "assistant", content: [{ type: "text", text: "(no words)" }] },
  ]);
});

test("uses the provider's call ids where they are unique, and ours otherwise", () => {
  const events = [
    callStep("call_1", "same"),
    callStep("call_2", "same"),
    callStep("call_3", "toolu_3"),
    // Equal to one of ours; missing; of another model, so that ours is used anyway; equal to that one's.
    callStep("call_4", "call_2"),
    callStep("call_5", ""),
    callStep("call_6", "toolu_6", "vendor/another"),
    callStep("call_7", "toolu_6"),
  ].flat();
  const expected = ["call_1", "call_2", "toolu_3", "call_4", "call_5", "call_6", "toolu_6"];
  expect(sentIds(OWN, ...events)).toEqual(expected.flatMap((id) => [id, id]));
});

test("leaves compacted steps out, and ignores their ids", () => {
  const events: readonly SessionEvent[] = [
    ...callStep("call_1", "same"),
    { type: "context-compacted", at: 1, throughStepId: "of-call_1", summary: "It was read." },
    ...callStep("call_2", "same"),
  ];
  expect(sentIds(OWN, ...events)).toEqual(["same", "same"]);
});

test("says in the result of a call that the user has undone it", () => {
  const events = [...callStep("call_1", "p1"), { type: "call-undone", toolCallId: "call_1", at: 9 } as const];
  const message = sentMessages(undefined, ...events).find(({ role }) => role === "tool");
  expect(JSON.stringify(message)).toContain("The user has undone this call since");
});
