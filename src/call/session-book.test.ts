import { describe, expect, test } from "vitest";
import type { ContentBlock } from "./content.js";
import { asked, assumed, event, no, onCall, question, way, yes } from "./events.samples.js";
import { answered, bookOf, chunk, listenedBook, planOf, takenAfter, text } from "./events.samples.js";
import { turn, withdrawn } from "./events.samples.js";
import { IllegalEvent } from "./illegal-event.js";
import type { SessionEvent, TimelineEntry } from "./session.js";

const illegal = (subjectAndWhy: string, type: string) => {
  const message = `${subjectAndWhy} and cannot take "${type}". Nothing was changed.`;
  return expect.objectContaining({ name: "IllegalEvent", message });
};
const change = (beyondCalls: boolean, ...ids: string[]) => ({ toolCallIds: new Set(ids), beyondCalls });
const value = (entry: TimelineEntry | undefined) => (entry?.type === "call" ? entry.call : entry?.message);
const strand = (index: number) => [chunk(text("a"), `m${index}`), ...onCall(`c${index}`, ...asked)];
const timeline = (...events: readonly SessionEvent[]) =>
  bookOf(...events)
    .snapshot()
    .timeline.map((entry) => (entry.type === "call" ? entry.call.toolCallId : entry.message.blocks));

test("is empty for a session without events", () => {
  const book = bookOf();
  const empty = {
    info: {},
    modeId: undefined,
    plan: [],
    turns: [],
    steps: [],
    timeline: [],
    questions: [],
    repairs: [],
    compactions: [],
    windows: [],
  };
  expect(book.snapshot()).toEqual({ sessionId: "session-1", ...empty });
  expect([book.turn, book.callCount, book.openCalls()]).toEqual([undefined, 0, []]);
  expect([book.call("call_1"), book.question("q1")]).toEqual([undefined, undefined]);
});

test("finds calls by their id and keeps their order", () => {
  const book = bookOf(...onCall("b", event.announced), event.announced, ...onCall("b", event.ready));
  book.applyAll([event.ready, event.cancelled]);
  expect([...book.calls()].map(({ toolCallId }) => toolCallId)).toEqual(["b", "call_1"]);
  expect(book.callCount).toBe(2);
  expect(book.call("call_1")?.state.status).toBe("cancelled");
  expect(book.openCalls()).toEqual([book.call("b")]);
});

test("closes a call at an assumed end, and keeps it closed at the late one", () => {
  const book = bookOf(event.announced, assumed(event.cancelled));
  expect(book.openCalls()).toEqual([]);
  book.apply(event.done);
  expect(book.openCalls()).toEqual([]);
});

describe("messages", () => {
  test("chunks of text are joined, blanks and all, and the message has the time of its first", () => {
    const book = bookOf(
      { ...chunk(text("Hello")), at: 7 },
      ...[" ", "", "world"].map((piece) => chunk(text(piece))),
    );
    const message = { messageId: "m1", role: "agent", at: 7, blocks: [text("Hello world")] };
    expect(book.snapshot().timeline).toEqual([{ type: "message", message }]);
  });

  test("starts a new run of messages after a call", () => {
    const events = [chunk(text("a")), event.announced, chunk(text("b")), event.ready, chunk(text("c"))];
    expect(timeline(...events)).toEqual([[text("a")], "call_1", [text("bc")]]);
  });

  test("keeps a message whole across events that are neither call nor message", () => {
    expect(timeline(chunk(text("a")), turn.started, chunk(text("b")))).toEqual([[text("ab")]]);
  });

  test("starts a new run at another message and at another role", () => {
    const events = [
      chunk(text("a")),
      chunk(text("b"), "m2"),
      chunk(text("c"), "m2", "thought"),
      chunk(text("d")),
    ];
    expect(timeline(...events)).toEqual([[text("a")], [text("b")], [text("c")], [text("d")]]);
  });

  test("keeps a block with metadata, or without text, as a block of its own", () => {
    const noted: ContentBlock = { type: "text", text: "b", _meta: { a: 1 } };
    const forUser: ContentBlock = { type: "text", text: "c", annotations: { audience: ["user"] } };
    const image: ContentBlock = { type: "image", data: "", mimeType: "image/png" };
    const blocks = [text("a"), noted, noted, text("d"), forUser, forUser, text("e"), image, image, text("f")];
    expect(timeline(...blocks.map((block) => chunk(block)))).toEqual([blocks]);
  });
});

test("keeps a message of a snapshot unchanged when more is added", () => {
  const image: ContentBlock = { type: "image", data: "", mimeType: "image/png" };
  const book = bookOf(chunk(text("a")));
  const snapshot = book.snapshot();
  book.applyAll([chunk(text("b")), chunk(image)]);
  expect(snapshot.timeline).toEqual(bookOf(chunk(text("a"))).snapshot().timeline);
  expect(book.snapshot().timeline.map(value)).toMatchObject([{ blocks: [text("ab"), image] }]);
});

describe("turns", () => {
  const stopped = { status: "stopped", stopReason: "end_turn", endedAt: 4 };

  // The contract, written out by hand.
  test.each<[string, readonly SessionEvent[], readonly string[], object | undefined]>([
    ["has no turn", [], ["started", "restarted"], undefined],
    ["runs", [turn.started], ["parked", "stopped"], { status: "running" }],
    ["is parked", [turn.started, turn.parked], ["resumed", "stopped"], { status: "parked" }],
    ["is resumed", [turn.started, turn.parked, turn.resumed], ["parked", "stopped"], { status: "running" }],
    ["has stopped", [turn.started, turn.stopped], ["started", "restarted"], stopped],
  ])("a session that %s takes exactly what may come next", (_name, past, accepted, state) => {
    expect(takenAfter(past, turn)).toEqual(accepted);
    expect(bookOf(...past).turn).toEqual(state && { turnId: "t1", startedAt: 1, state });
  });

  test("refuses an event for another turn than the last one", () => {
    const others = Object.fromEntries(
      Object.entries(turn).map(([name, each]) => [name, { ...each, turnId: "t0" }]),
    );
    expect(takenAfter([turn.started], others)).toEqual([]);
    expect(takenAfter([turn.started, turn.parked], others)).toEqual([]);
  });

  test.each<[string, readonly SessionEvent[], SessionEvent]>([
    ["Turn t1 is running, and turn t0 was meant", [turn.started], { ...turn.stopped, turnId: "t0" }],
    ["Turn t1 is running", [turn.started], turn.restarted],
    ["Session session-1 has no turn", [], turn.stopped],
  ])("throws: %s", (sentence, past, next) => {
    expect(() => bookOf(...past, next)).toThrow(illegal(sentence, next.type));
  });

  test("keeps why a turn stopped beside the next turn", () => {
    const why = { stopReason: "error", error: "no network" } as const;
    expect(bookOf(turn.started, { ...turn.stopped, ...why }, turn.restarted).snapshot().turns).toEqual([
      { turnId: "t1", startedAt: 1, state: { status: "stopped", ...why, endedAt: 4 } },
      { turnId: "t2", startedAt: 5, state: { status: "running" } },
    ]);
  });

  test("refuses to stop a turn with open calls, and names them", () => {
    const book = bookOf(turn.started, event.announced, ...onCall("b", event.announced, event.cancelled));
    book.applyAll(onCall("c", event.announced));
    const sentence = "Turn t1 has calls that have not ended (call_1, c)";
    expect(() => book.apply(turn.stopped)).toThrow(illegal(sentence, "turn-stopped"));
    expect(book.turn?.state.status).toBe("running");
    book.applyAll([event.cancelled, ...onCall("c", assumed(event.cancelled)), turn.stopped]);
    expect(book.turn?.state.status).toBe("stopped");
  });
});

describe("questions", () => {
  const { cleared, clearedByNobody, refused, failed, cancelled, revised, inputRevised } = event;
  const { appended, printed, exited } = event;
  const shows = { revised, appended, printed, exited };
  const next = { cleared, clearedByNobody, refused, failed, cancelled, inputRevised, ...shows };
  const failedAsker = answered({ ...yes, outcome: { type: "refused" } });

  // The contract, written out by hand: how a call may leave its question. Its content may change at any time.
  test.each<[string, SessionEvent[], string]>([
    ["is open", [], ""],
    ["was answered with yes", [answered(yes)], "cleared clearedByNobody failed cancelled"],
    ["was answered with no", [answered(no)], "refused failed cancelled"],
    ["had an asker that failed", [failedAsker], "refused failed cancelled"],
    ["got a yes to another intent", [answered({ ...yes, intentHash: "x" })], "refused failed cancelled"],
    ["was taken back", [withdrawn], "clearedByNobody refused failed cancelled"],
  ])("a call whose question %s goes on in no other way", (_name, past, accepted) => {
    const ways = accepted.split(" ").filter(Boolean);
    expect(takenAfter([...asked, appended, ...past], next)).toEqual([...ways, ...Object.keys(shows)]);
  });

  test.each<[string, SessionEvent[]]>([
    ["open", []],
    ["answered", [answered(no)]],
    ["withdrawn", [withdrawn]],
  ])("throws that the question is %s", (status, past) => {
    const sentence = `Tool call call_1 waits for question q1, which is ${status}`;
    expect(() => bookOf(...asked, ...past, cleared)).toThrow(illegal(sentence, "call-cleared"));
  });

  test("finds a question by its id, with its answer or the reason of its withdrawal", () => {
    expect(bookOf(...asked).question("q1")).toEqual({ question, state: { status: "open" } });
    const answer = { status: "answered", answer: no };
    expect(bookOf(...asked, answered(no)).question("q1")).toEqual({ question, state: answer });
    const state = { status: "withdrawn", reason: "cancelled", at: 50 };
    expect(bookOf(...asked, withdrawn).snapshot().questions).toEqual([{ question, state }]);
  });

  test.each<[string, SessionEvent[], SessionEvent]>([
    ["Question q1 was asked before", [...asked, answered(yes), cleared], event.asked],
    ["Question q1 is already answered", [...asked, answered(no)], answered(yes)],
    ["Question q1 is already answered", [...asked, answered(no)], withdrawn],
    ["Question q1 is already withdrawn", [...asked, withdrawn], answered(yes)],
    ["Question q1 is already withdrawn", [...asked, withdrawn], withdrawn],
    ["Question q9 was never asked", [...asked], answered(yes, "q9")],
    ["Question q1 was never asked", [], withdrawn],
  ])("a question counts once: %s", (sentence, past, late) => {
    expect(takenAfter(past, { late })).toEqual([]);
    expect(() => bookOf(...past, late)).toThrow(illegal(sentence, late.type));
  });

  test("waits only for the new question when a call is asked about again", () => {
    const again = { ...event.asked, question: { ...question, questionId: "q2" } };
    const past = [...asked, answered(yes), cleared, again];
    expect(takenAfter([...past, appended], next)).toEqual(Object.keys(shows));
    expect(takenAfter([...past, answered(yes, "q2")], { cleared, refused })).toEqual(["cleared"]);
  });

  test.each(["waiting for the app", "waiting for a child"] as const)(
    "a call that is %s needs no answer",
    (name) => {
      expect(takenAfter([event.announced, ...way[name]], { done: event.done })).toEqual(["done"]);
    },
  );
});

describe("session listeners", () => {
  test("reports a batch once to a listener, with exactly its changes", () => {
    const { book, reported } = listenedBook(event.announced, ...onCall("b", event.announced));
    book.applyAll([event.delta, event.ready, ...onCall("c", event.announced)]);
    book.apply(turn.started);
    book.applyAll([chunk(text("a")), ...onCall("b", event.ready)]);
    book.applyAll([]);
    expect(reported).toEqual([change(false, "call_1", "c"), change(true), change(true, "b")]);
  });

  test("reports a new question to a listener as a change beyond the calls", () => {
    const { book, reported } = listenedBook(event.announced, event.ready);
    book.apply(event.asked);
    expect(reported).toEqual([change(true, "call_1")]);
  });

  test("calls a listener after the change was made", () => {
    const book = bookOf(event.announced);
    const seen: unknown[] = [];
    book.subscribe(() => seen.push(book.call("call_1")?.state.status));
    book.applyAll([event.ready, event.cleared]);
    expect(seen).toEqual(["cleared"]);
  });

  test("reports to a listener the changes before an illegal event of a batch, and none after it", () => {
    const { book, reported } = listenedBook(event.announced);
    const batch = [event.ready, event.started, ...onCall("b", event.announced), turn.started];
    expect(() => book.applyAll(batch)).toThrow(IllegalEvent);
    expect(() => book.apply(event.started)).toThrow(IllegalEvent);
    expect(book.call("call_1")?.state.status).toBe("ready");
    expect([book.callCount, book.turn]).toEqual([1, undefined]);
    expect(reported).toEqual([change(false, "call_1")]);
  });

  test("reports nothing to a listener that unsubscribed, and goes on reporting to others", () => {
    const { book, reported, stop } = listenedBook();
    let others = 0;
    book.subscribe(() => others++);
    book.apply(turn.started);
    stop();
    stop();
    book.apply(turn.parked);
    expect([reported.length, others]).toEqual([1, 2]);
  });
});

test("replaces the plan and the mode, merges the info, adds repairs", () => {
  const repairs = ["one", "two"].map((detail) => ({ repair: "late-update", toolCallId: "call_1", detail }));
  const book = bookOf(
    { type: "plan-updated", at: 1, entries: planOf("a", "b") },
    { type: "plan-updated", at: 2, entries: planOf("c") },
    { type: "mode-changed", at: 3, modeId: "ask" },
    { type: "mode-changed", at: 4, modeId: "code" },
    { type: "info-changed", at: 5, info: { title: "Tests", cwd: "/a", _meta: { a: 1 } } },
    { type: "info-changed", at: 6, info: { title: "More tests", agent: "goose", _meta: null } },
    ...repairs.map((repair) => ({ type: "traffic-repaired", at: 7, repair }) as const),
  );
  const info = { title: "More tests", cwd: "/a", agent: "goose", _meta: null };
  expect(book.snapshot()).toMatchObject({ plan: planOf("c"), modeId: "code", info, repairs });
  book.apply({ type: "plan-updated", at: 8, entries: [] });
  expect(book.snapshot().plan).toEqual([]);
});

test("refuses an event of an unknown type", () => {
  const unknownEvent = { type: "weather-changed", at: 1 } as unknown as SessionEvent;
  expect(takenAfter([turn.started], { unknownEvent })).toEqual([]);
});

test("copies only the parts that an event changes, however large the session is", () => {
  const book = bookOf(
    ...Array.from({ length: 500 }, (_, index) => strand(index)).flat(),
    chunk(text("a"), "last"),
  );
  const before = book.snapshot();
  book.applyAll([...onCall("c250", event.revised), answered(yes, "q-c9"), chunk(text("b"), "last")]);
  const after = book.snapshot();
  const changed = after.timeline.filter((entry, index) => value(entry) !== value(before.timeline[index]));
  expect(changed.map(value)).toEqual([book.call("c250"), expect.objectContaining({ messageId: "last" })]);
  expect(after.questions.filter((each, index) => each !== before.questions[index])).toEqual([
    book.question("q-c9"),
  ]);
});
