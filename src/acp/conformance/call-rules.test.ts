/** Conversations that the rules of tool calls must accept. Every violation has a broken agent of its own in test/. */
import { expect, test } from "vitest";
import * as rules from "./call-rules.js";
import { callSteps } from "./call-steps.js";
import type { Line } from "./transcript.js";

const ALL = [
  rules.announcedFirst,
  rules.wrappedContent,
  rules.noBackwardStatus,
  rules.nothingAfterTheEnd,
  rules.closedBeforeTheEnd,
  rules.idsOnce,
  rules.questionNamesItsCall,
  rules.absolutePaths,
  rules.stillWhileAsked,
  rules.nothingAfterCancel,
  rules.usableOptions,
  rules.notApproved("reject_once", "cancelled", "unoffered"),
];

type Said = readonly ["agent" | "client", object];
const prompt = (id: number): Said => ["client", { id, method: "session/prompt", params: { sessionId: "s" } }];
const done = (id: number, stopReason = "end_turn"): Said => ["agent", { id, result: { stopReason } }];
const said = (update: object): Said => [
  "agent",
  { method: "session/update", params: { sessionId: "s", update } },
];
const call = (toolCallId: string, more: object = {}): Said =>
  said({ sessionUpdate: "tool_call", toolCallId, title: "Edit", ...more });
const update = (toolCallId: string, more: object): Said =>
  said({ sessionUpdate: "tool_call_update", toolCallId, ...more });
const OPTIONS = [
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "n", name: "No", kind: "reject_once" },
];
const ask = (toolCallId: string, id = 0): Said => [
  "agent",
  {
    id,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall: { toolCallId }, options: OPTIONS },
  },
];
const answer = (outcome: object, id = 0): Said => ["client", { id, result: { outcome } }];
const YES = { outcome: "selected", optionId: "y" };
const NO = { outcome: "selected", optionId: "n" };

function offences(version: 1 | 2, messages: readonly Said[]) {
  const lines = messages.map(([from, message], at): Line => ({
    at,
    from,
    text: JSON.stringify(message),
    message,
    isUtf8: true,
  }));
  const steps = callSteps(lines, version);
  return ALL.flatMap((rule) => rule(steps, version) ?? []).map(({ how }) => how);
}

test.each<[string, readonly Said[]]>([
  ["without a tool call", [prompt(1), done(1)]],
  ["that is announced with its end", [prompt(1), call("a", { status: "completed" }), done(1)]],
  [
    "that is announced twice while it is open",
    [prompt(1), call("a"), call("a", { status: "failed" }), done(1)],
  ],
  [
    "whose updates leave the status out",
    [prompt(1), call("a"), update("a", { title: "E" }), update("a", { status: "completed" }), done(1)],
  ],
  [
    "with null for what stays",
    [
      prompt(1),
      call("a"),
      update("a", { status: null, content: null }),
      update("a", { status: "failed" }),
      done(1),
    ],
  ],
  [
    "that is asked about and allowed",
    [
      prompt(1),
      call("a"),
      ask("a"),
      answer(YES),
      update("a", { status: "in_progress" }),
      update("a", { status: "completed" }),
      done(1),
    ],
  ],
  [
    "that is refused",
    [prompt(1), call("a"), ask("a"), answer(NO), update("a", { status: "failed" }), done(1)],
  ],
  [
    "that is refused once, asked again and allowed",
    [
      prompt(1),
      call("a"),
      ask("a"),
      answer(NO),
      ask("a", 1),
      answer(YES, 1),
      update("a", { status: "completed" }),
      done(1),
    ],
  ],
  [
    "that is withdrawn while its question is open",
    [prompt(1), call("a"), ask("a"), update("a", { status: "failed" }), done(1, "cancelled")],
  ],
  [
    "beside another one whose question is open",
    [
      prompt(1),
      call("a"),
      call("b"),
      ask("a"),
      update("b", { status: "in_progress" }),
      update("b", { status: "completed" }),
      answer(YES),
      update("a", { status: "completed" }),
      done(1),
    ],
  ],
  [
    "in a turn after a cancelled one",
    [prompt(1), done(1, "cancelled"), prompt(2), call("a", { status: "completed" }), done(2)],
  ],
  [
    "with a path of another system",
    [prompt(1), call("a", { status: "completed", locations: [{ path: "C:\\a.txt" }] }), done(1)],
  ],
])("accepts a call %s", (_, messages) => {
  expect(offences(1, messages)).toEqual([]);
});

test("lets a v2 call go on in the background, and reports every other open call", () => {
  const idle = (background: readonly object[]) =>
    said({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn", background });
  const rule = rules.closedBeforeTheEnd;
  const story = (background: readonly object[]) =>
    callSteps(
      [prompt(1), update("a", { status: "in_progress" }), idle(background)].map(
        ([from, message], at): Line => ({ at, from, text: "", message, isUtf8: true }),
      ),
      2,
    );
  expect(rule(story([{ type: "tool_call", toolCallId: "a" }]), 2)).toBeUndefined();
  expect(rule(story([]), 2)?.how).toContain('"a" is still open');
});
