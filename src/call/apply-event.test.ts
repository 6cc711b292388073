import { describe, expect, test } from "vitest";
import { applyEvent, MAX_CONTENT_ITEMS } from "./apply-event.js";
import { shownText } from "./bounded-text.js";
import { type ToolCallContent, textContent } from "./content.js";
import * as sample from "./events.samples.js";
import {
  after,
  assumed,
  deepFreeze,
  event,
  eventNames,
  revise,
  show,
  takes,
  texts,
  way,
} from "./events.samples.js";
import { IllegalEvent } from "./illegal-event.js";
import { completeFields, inputText } from "./partial-input.js";
import type { ToolCall, ToolCallEvent } from "./tool-call.js";

const applying = (call: ToolCall | undefined, next: ToolCallEvent) => () => applyEvent(call, next);

// The contract, written out by hand and not imported: what each state accepts. All else is illegal.
const SHOWS = "revised appended printed exited";
const UNDECIDED = "cleared clearedByNobody refused";
const ENDS = ["done", "failed", "cancelled", "lost"] as const;
const STILL_ENDS = "done failed cancelled";
const accepts: Readonly<Record<keyof typeof way, string>> = {
  drafting: `${SHOWS} inputRevised delta ready failed cancelled`,
  ready: `${SHOWS} inputRevised asked appAwaited ${UNDECIDED} failed cancelled`,
  "waiting for a question": `${SHOWS} ${UNDECIDED} failed cancelled`,
  "waiting for the app": `${SHOWS} inputRevised done failed cancelled`,
  "waiting for a child": `${SHOWS} childStepped done failed cancelled`,
  cleared: `${SHOWS} asked appAwaited childAwaited started refused failed cancelled`,
  running: `${SHOWS} breached processStarted sandboxRefused kept wished done failed cancelled lost`,
  "running with a cancel wish": `${SHOWS} breached processStarted sandboxRefused kept wished done failed cancelled lost`,
  done: "undone breached",
  failed: "undone breached",
  refused: "breached",
  cancelled: "breached",
  unknown: "undone breached",
  "assumed done": `${SHOWS} breached ${STILL_ENDS}`,
  "assumed failed": `${SHOWS} breached ${STILL_ENDS}`,
  "assumed cancelled": `${SHOWS} breached inputRevised ${STILL_ENDS}`,
  "assumed unknown": `${SHOWS} breached ${STILL_ENDS}`,
};

describe.each(Object.keys(way) as (keyof typeof way)[])("a call that is %s", (name) => {
  // The call shows a terminal, so that only the state decides whether it accepts output.
  const call = after(event.appended, ...way[name]);
  const accepted = accepts[name].split(" ").filter(Boolean);

  test(`takes exactly: ${accepts[name] || "nothing"}`, () => {
    const taken = eventNames.filter((each) => takes(call, event[each]));
    expect(taken.toSorted()).toEqual(accepted.toSorted());
  });

  test("takes an end that is only assumed where it takes a reported one, unless it has ended", () => {
    const ends = ENDS.filter((each) => takes(call, assumed(event[each])));
    expect(ends).toEqual(name.startsWith("assumed") ? [] : ENDS.filter((each) => accepted.includes(each)));
  });
});

test("refuses an event of an unknown type in every state", () => {
  const unknownEvent = { ...event.started, type: "call-paused" } as unknown as ToolCallEvent;
  const takers = Object.entries(way).filter(([, events]) => takes(after(...events), unknownEvent));
  expect(takers.map(([name]) => name)).toEqual([]);
});

test("takes nothing but its announcement before a call is announced", () => {
  expect(eventNames.filter((name) => takes(undefined, event[name]))).toEqual(["announced"]);
});

test("gives an announced call the fields of its announcement and an empty draft", () => {
  const {
    type: _,
    at,
    ...announced
  } = { ...event.announced, providerCallId: "p7", parentToolCallId: "call_0" };
  const call = applyEvent(undefined, { type: "call-announced", at, ...announced });
  expect(call).toMatchObject({ ...announced, content: [], locations: [], times: { announced: 10 } });
  expect(call.state).toMatchObject({ status: "drafting", draft: { text: "" } });
});

test("refuses a call that is its own parent", () => {
  const call = applyEvent(undefined, { ...event.announced, parentToolCallId: "call_1" });
  expect(call.parentToolCallId).toBeUndefined();
});

test("appends the model's text to the draft", () => {
  const { state } = after(event.delta, { ...event.delta, text: '"line":1' });
  if (state.status !== "drafting") throw new Error(state.status);
  expect(inputText(state.draft)).toBe('{"path":"/a","line":1');
  expect(completeFields(state.draft)).toEqual({ path: "/a" });
});

test("keeps the input that arrived when a draft ends, unless more is known", () => {
  expect(after(event.delta, event.cancelled).rawInput).toEqual({ path: "/a" });
  expect(after(event.inputRevised, event.delta, event.failed).rawInput).toEqual({ path: "/b" });
  expect(after({ ...event.delta, text: '{"path":' }, event.cancelled).rawInput).toBeUndefined();
});

test.each<[keyof typeof way, ToolCall["state"]]>([
  ["ready", { status: "ready" }],
  ["waiting for a question", { status: "waiting", waitingFor: { type: "question", questionId: "q1" } }],
  ["waiting for the app", { status: "waiting", waitingFor: { type: "app" } }],
  ["waiting for a child", { status: "waiting", waitingFor: { type: "child", childSessionId: "child-1" } }],
  ["cleared", { status: "cleared" }],
  ["running", { status: "running", cancelRequested: false }],
  ["running with a cancel wish", { status: "running", cancelRequested: true }],
  ["done", { status: "done", assumed: false }],
  ["failed", { status: "failed", error: "File not found", assumed: false }],
  ["refused", { status: "refused", assumed: false }],
  ["cancelled", { status: "cancelled", reason: "the turn was cancelled.", assumed: false }],
  ["unknown", { status: "unknown", reason: "the process ended.", assumed: false }],
])("keeps only the data of its state in a call that is %s", (name, state) => {
  expect(after(...way[name]).state).toStrictEqual(state);
});

test("keeps the responses of a sub-agent in order, also when its call has ended", () => {
  const { type: _, toolCallId: __, at: ___, ...first } = event.childStepped;
  const second = { text: "Done.", thought: "well", toolCallIds: [] };
  const call = after(
    ...way["waiting for a child"],
    event.childStepped,
    { type: "child-stepped", toolCallId: "call_1", at: 59, ...second },
    event.done,
  );
  expect(call).toMatchObject({ state: { status: "done" }, rawOutput: "ok" });
  expect(call.childSteps).toStrictEqual([first, second]);
  expect(after(...way.running).childSteps).toBeUndefined();
});

test("records a run that finishes after a cancel request as done", () => {
  const call = after(...way["running with a cancel wish"], event.done);
  expect(call).toMatchObject({ state: { status: "done" }, rawOutput: "ok" });
});

describe("the decision and its times", () => {
  test("has all times of a call that a person allowed", () => {
    const call = after(event.ready, event.asked, event.cleared, event.started, event.done);
    expect(call.times).toEqual({ announced: 10, asked: 40, answered: 50, started: 60, ended: 90 });
    expect(call.decision).toEqual(sample.annSaysYes);
  });

  test("keeps who refused a call and why", () => {
    const call = after(event.ready, event.asked, event.refused);
    expect(call.decision).toEqual(sample.annSaysNo);
    expect(call.times).toEqual({ announced: 10, asked: 40, answered: 50, ended: 50 });
  });

  test("has no question and no answer when a rule decides", () => {
    expect(after(event.ready, event.cleared).times).toEqual({ announced: 10 });
    expect(after(event.ready, event.refused).times).toEqual({ announced: 10, ended: 50 });
  });

  test("has no decision and no answer when nobody here decided", () => {
    const call = after(event.ready, event.asked, event.clearedByNobody);
    expect(call.decision).toBeUndefined();
    expect(call.times).toEqual({ announced: 10, asked: 40 });
  });

  test("forgets a yes when the call is asked about again", () => {
    const again = { ...event.asked, at: 58, question: { ...sample.question, questionId: "q2" } };
    const call = after(event.ready, event.asked, event.cleared, again);
    expect(call.decision).toBeUndefined();
    expect(call.times).toEqual({ announced: 10, asked: 58 });
    expect(call.state).toEqual({ status: "waiting", waitingFor: { type: "question", questionId: "q2" } });
  });

  test("keeps the time of a person's yes when a rule stops the call afterwards", () => {
    const stopped = { ...event.refused, at: 70, decision: sample.ruleSaysNo };
    const call = after(event.ready, event.asked, event.cleared, stopped);
    expect(call.decision).toEqual(sample.ruleSaysNo);
    expect(call.times).toEqual({ announced: 10, asked: 40, answered: 50, ended: 70 });
  });

  test("does not attribute a refusal without a decision to the person who said yes", () => {
    const { decision: _, ...byNobody } = event.refused;
    expect(after(event.ready, event.asked, event.cleared, byNobody).decision).toBeUndefined();
  });
});

describe("the input", () => {
  test("may be revised before anyone was asked, and the finished input replaces it", () => {
    expect(after(event.inputRevised).rawInput).toEqual({ path: "/b" });
    expect(after(event.inputRevised, event.ready).rawInput).toEqual({ path: "/a" });
    expect(after(event.ready, event.inputRevised).rawInput).toEqual({ path: "/b" });
  });

  test("may be revised while a foreign agent runs the call by its own lights", () => {
    const call = after(event.ready, event.clearedByNobody, event.started, event.inputRevised);
    expect(call.rawInput).toEqual({ path: "/b" });
  });

  test("is fixed once someone was asked about it or has decided on it: not even clearing it is legal", () => {
    const clearing = revise({ title: "x", rawInput: null });
    expect(applying(after(...way["waiting for a question"]), clearing)).toThrow(IllegalEvent);
    expect(applying(after(...way.cleared), clearing)).toThrow(IllegalEvent);
    expect(applying(after(...way.running), clearing)).toThrow(IllegalEvent);
  });

  test("stays fixed when the question about it was taken back", () => {
    const call = after(event.ready, event.asked, event.clearedByNobody);
    expect(applying(call, event.inputRevised)).toThrow(IllegalEvent);
  });

  test("is nothing when it is null", () => {
    expect(after({ ...event.ready, rawInput: null }).rawInput).toBeUndefined();
  });
});

describe("the content of a call", () => {
  test("replaces values, clears them on null, and keeps the fields that an event does not name", () => {
    const named = { name: "write", title: "Write", kind: "delete", kindSource: "inferred" } as const;
    const shown = { content: texts(1), locations: [{ path: "/a", line: 1 }] };
    const clearable = { rawInput: 0, rawOutput: 1, progress: { done: 1 }, _meta: { a: 1 } };
    const full = after(revise({ ...named, ...shown, ...clearable }));
    expect(full).toMatchObject({ ...named, ...shown, ...clearable });
    const nulls = { rawInput: null, rawOutput: null, progress: null, _meta: null };
    const nothing = { rawInput: undefined, rawOutput: undefined, progress: undefined, _meta: undefined };
    expect(applyEvent(full, revise(nulls))).toEqual({ ...full, ...nothing });
    expect(applyEvent(full, revise({}))).toEqual(full);
  });

  test("replaces content at a revision and at an end that has some, and adds appended content", () => {
    const [one, two, three] = texts(3) as [ToolCallContent, ToolCallContent, ToolCallContent];
    expect(after(revise({ content: [one] }), show(two), show(three)).content).toEqual([one, two, three]);
    expect(after(show(one), revise({ content: [two] })).content).toEqual([two]);
    expect(after(show(one), { ...event.failed, content: [three] }).content).toEqual([three]);
    expect(after(show(one), event.failed).content).toEqual([one]);
  });

  test("takes the output of an end, clears it on null, or keeps the earlier one", () => {
    const half = [...way.running, revise({ rawOutput: "half" })];
    expect(after(...half, event.done).rawOutput).toBe("ok");
    expect(after(...half, { ...event.done, rawOutput: null }).rawOutput).toBeUndefined();
    expect(after(...half, event.lost).rawOutput).toBe("half");
  });

  // The limit and the note, by hand.
  const FULL = [...texts(4095), textContent("… more than 4096 items: the rest is left out …")];

  test("shows 4096 items whole, in whatever pieces they arrive", () => {
    expect(MAX_CONTENT_ITEMS).toBe(4096);
    expect(after(revise({ content: texts(4096) })).content).toEqual(texts(4096));
    expect(after(revise({ content: texts(4095) }), show(textContent("4096"))).content).toEqual(texts(4096));
  });

  test("leaves out items beyond 4,096 with a note, however they came", () => {
    expect(after(revise({ content: texts(4097) })).content).toEqual(FULL);
    expect(after({ ...event.failed, content: texts(5000) }).content).toEqual(FULL);
    expect(after(revise({ content: texts(4095) }), ...texts(9).map(show)).content).toEqual(FULL);
    expect(after(revise({ content: texts(4096) }), show(textContent("4097"))).content).toEqual(FULL);
    expect(after(revise({ content: texts(4097) }), show(textContent("4098"))).content).toEqual(FULL);
  });

  test("adds output and an exit to their own terminal", () => {
    const both = [event.appended, show({ type: "terminal", terminalId: "t2", _meta: { a: 1 } })];
    const signal = { signal: "SIGTERM" };
    const printed = [event.printed, { ...event.printed, terminalId: "t2" }, event.printed];
    expect(after(...both, ...printed, { ...event.exited, exit: signal }).content).toEqual([
      { type: "terminal", terminalId: "t1", output: { head: "ok\nok\n", tail: "", total: 6 }, exit: signal },
      { type: "terminal", terminalId: "t2", output: { head: "ok\n", tail: "", total: 3 }, _meta: { a: 1 } },
    ]);
  });

  test("keeps a terminal's output and exit when the content comes again without them", () => {
    const before = [event.appended, event.printed, event.exited];
    const [terminal] = after(...before).content;
    const again = { type: "terminal", terminalId: "t1", _meta: { a: 1 } } as const;
    expect(after(...before, revise({ content: [again] })).content).toEqual([
      { ...terminal, _meta: { a: 1 } },
    ]);
    const newer = { ...again, output: { head: "new", tail: "", total: 3 } };
    expect(after(...before, revise({ content: [newer] })).content).toEqual([newer]);
    const other = { type: "terminal", terminalId: "t2" } as const;
    expect(after(...before, { ...event.failed, content: [other] }).content).toEqual([other]);
  });

  test("keeps a terminal's output when the content comes again with only a newer exit", () => {
    const before = [event.appended, event.printed, event.exited];
    const exited = { type: "terminal", terminalId: "t1", exit: { exitCode: 1 } } as const;
    const [terminal] = after(...before).content;
    const { content } = after(...before, revise({ content: [exited] }));
    expect(content).toEqual([{ ...terminal, ...exited }]);
  });

  test("keeps the beginning and the end of a terminal that prints for hours", () => {
    const much = { ...event.printed, text: `first${"x".repeat(200_000)}` };
    const [terminal] = after(event.appended, much, event.printed).content;
    if (terminal?.type !== "terminal" || !terminal.output) throw new Error("no terminal");
    expect(shownText(terminal.output)).toMatch(/^firstx+\n… 134,472 characters left out …\nx+ok\n$/);
    expect(terminal.output.head.length + terminal.output.tail.length).toBeLessThan(120_000);
  });

  test("refuses output and exits of a terminal that the call does not show", () => {
    const call = after(event.appended, show(textContent("t2")));
    expect(applying(call, { ...event.printed, terminalId: "t2" })).toThrow(IllegalEvent);
    expect(applying(call, { ...event.exited, terminalId: "t2" })).toThrow(IllegalEvent);
  });
});

test("replaces an assumed end by one reported end, and then no more", () => {
  const guessed = after(...way["assumed unknown"], { ...event.revised, at: 95 });
  const call = deepFreeze(applyEvent(guessed, { ...event.done, at: 120 }));
  expect(call).toMatchObject({ title: "Edit app.ts", rawOutput: "ok", times: { started: 60, ended: 120 } });
  expect(call.state).toEqual({ status: "done", assumed: false });
  const moves = eventNames.filter((name) => name !== "undone" && name !== "breached");
  for (const name of moves) expect(applying(call, event[name])).toThrow(IllegalEvent);
});

test("takes one undo of a call that ran and has ended, and keeps its end", () => {
  const done = after(...way.done);
  const undone = deepFreeze(applyEvent(done, event.undone));
  expect(undone).toEqual({ ...done, times: { ...done.times, undone: 99 } });
  expect(applying(undone, event.undone)).toThrow(IllegalEvent);
});

test("takes one breach of a call, and keeps its end", () => {
  const done = after(...way.done);
  const breached = deepFreeze(applyEvent(done, event.breached));
  expect(breached).toEqual({ ...done, breach: { isAfterRefusal: false, rule: "deny edit" } });
  expect(applying(breached, event.breached)).toThrow(IllegalEvent);
});

test("takes a yes with another input, and keeps the model's input", () => {
  const asked = after(...way["waiting for a question"]);
  const decision = { ...event.cleared.decision, originalInput: asked.rawInput };
  const cleared = applyEvent(asked, { ...event.cleared, decision, rawInput: { path: "/b" } });
  expect(cleared).toMatchObject({ rawInput: { path: "/b" }, decision: { originalInput: { path: "/a" } } });
});

test.each<[string, ToolCall | undefined, ToolCallEvent]>([
  ['call_1 (Edit src/app.ts) is drafting and cannot take "run-started"', after(), event.started],
  [
    'call_1 (Edit src/app.ts) has ended (done) and cannot take "call-failed"',
    after(...way.done),
    event.failed,
  ],
  ['call_1 (Edit src/app.ts) is ready and cannot take "call-announced"', after(event.ready), event.announced],
  ['call_1 was never announced and cannot take "run-started"', undefined, event.started],
])("throws: Tool call %s. Nothing was changed.", (sentence, call, next) => {
  const message = `Tool call ${sentence}. Nothing was changed.`;
  const error = { name: "IllegalEvent", code: "ILLEGAL_EVENT", eventType: next.type, message };
  expect(applying(call, next)).toThrow(expect.objectContaining(error));
});
