import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyEvent, applyToUnseen } from "./apply-event.js";
import { callAfter, lives } from "./calls.samples.js";
import {
  assumed,
  deepFreeze,
  event,
  isCallEvent,
  isLegal,
  revise,
  show,
  takes,
  texts,
  way,
} from "./events.samples.js";
import { IllegalEvent } from "./illegal-event.js";
import type { ToolCall, ToolCallEvent } from "./tool-call.js";

// Written out by hand: how far along its way a call is.
const RANK: Readonly<Record<ToolCall["state"]["status"], number>> = {
  drafting: 0,
  ready: 1,
  waiting: 2,
  cleared: 2,
  running: 3,
  done: 4,
  failed: 4,
  refused: 4,
  cancelled: 4,
  unknown: 4,
};

// Written out by hand: what each status holds beside its name.
const HOLDS: Readonly<Record<ToolCall["state"]["status"], readonly string[]>> = {
  drafting: ["draft"],
  ready: [],
  waiting: ["waitingFor"],
  cleared: [],
  running: ["cancelRequested"],
  done: ["assumed"],
  failed: ["assumed", "error"],
  refused: ["assumed"],
  cancelled: ["assumed", "reason"],
  unknown: ["assumed", "reason"],
};

const callLives = lives().map((life) => life.filter(isCallEvent));
const samples: readonly ToolCallEvent[] = [
  ...Object.values(event),
  ...[event.done, event.failed, event.cancelled, event.lost].map(assumed),
  revise({ rawOutput: null, content: texts(2), progress: { done: 1 } }),
  show({ type: "terminal", terminalId: "t2" }),
];
const anyEvents = fc.oneof(
  fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 30 }),
  callLives.map((life) => life.slice(1)),
);
/** Whatever comes, in any order, on a call that already got somewhere: so that late states are reached often. */
const storms = fc
  .tuple(fc.constantFrom(...Object.values(way)), fc.array(anyEvents, { maxLength: 4 }))
  .map(([start, more]) => [...start, ...more.flat()]);

/** Each state that the call takes on, illegal events left out; all is frozen. */
function steps(events: readonly ToolCallEvent[]): readonly ToolCall[] {
  const seen: ToolCall[] = [deepFreeze(applyEvent(undefined, event.announced))];
  for (const [index, each] of events.entries()) {
    const next = deepFreeze({ ...each, at: 1000 + index });
    const call = seen.at(-1);
    if (call && takes(call, next)) seen.push(deepFreeze(applyEvent(call, next)));
  }
  return seen;
}

const isFixed = ({ decision, times }: ToolCall) => decision !== undefined || times.asked !== undefined;
const isSettled = ({ state }: ToolCall) => "assumed" in state && !state.assumed;

function expectLegal({ state, times, decision }: ToolCall): void {
  const { status, ...held } = state;
  expect(Object.keys(held).toSorted()).toEqual(HOLDS[status]);
  expect(times.ended !== undefined).toBe(RANK[status] === 4);
  // A call may end without having run.
  expect(times.started !== undefined || RANK[status] === 4).toBe(RANK[status] >= 3);
  const asksNow = state.status === "waiting" && state.waitingFor.type === "question";
  expect(
    asksNow && (times.asked === undefined || times.answered !== undefined || decision !== undefined),
  ).toBe(false);
  expect(times.answered !== undefined && (times.asked === undefined || decision === undefined)).toBe(false);
}

test("passes through legal states only, with times in order, in every legal sequence", () => {
  fc.assert(
    fc.property(callLives, (life) => {
      const call = callAfter(life);
      expectLegal(call);
      const {
        announced,
        asked = announced,
        answered = asked,
        started = answered,
        ended = started,
      } = call.times;
      const inOrder = [announced, asked, answered, started, ended];
      expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
    }),
  );
});

test("keeps a call in a legal state after any events, and no status goes backwards", () => {
  fc.assert(
    fc.property(storms, (events) => {
      const seen = steps(events);
      for (const [index, call] of seen.entries()) {
        expectLegal(call);
        expect(RANK[call.state.status]).toBeGreaterThanOrEqual(
          RANK[seen[index - 1]?.state.status ?? "drafting"],
        );
      }
    }),
  );
});

test("replaces an end at most once, and only an assumed one by a reported one", () => {
  fc.assert(
    fc.property(storms, (events) => {
      const ends = steps(events)
        .map(({ state }) => state)
        .filter((state) => "assumed" in state);
      const different = ends.filter((state, index) => state !== ends[index - 1]);
      expect([[], [true], [false], [true, false]]).toContainEqual(different.map((state) => state.assumed));
    }),
  );
});

test("never changes a settled call, whatever event follows", () => {
  const settled = fc
    .oneof(
      callLives.map(callAfter),
      storms.map((events) => steps(events).at(-1)),
    )
    .filter((call) => call !== undefined && isSettled(call));
  fc.assert(
    fc.property(settled, anyEvents, (call, events) => {
      const before = structuredClone(call);
      deepFreeze(call);
      const moves = events.filter(({ type }) => type !== "call-undone" && type !== "call-breached");
      for (const each of moves) expect(() => applyEvent(call, deepFreeze(each))).toThrow(IllegalEvent);
      expect(call).toEqual(before);
    }),
  );
});

test("never changes an input that was asked about or decided on", () => {
  fc.assert(
    fc.property(storms, (events) => {
      const seen = steps(events);
      const changedLate = seen.filter((call, index) => {
        const before = seen[index - 1];
        return before && isFixed(before) && call.rawInput !== before.rawInput;
      });
      expect(changedLate).toEqual([]);
    }),
  );
});

test("changes an unseen call in place to the same result as a copy, or not at all", () => {
  fc.assert(
    fc.property(storms, anyEvents, (events, more) => {
      const unseen = structuredClone(steps(events).at(-1) ?? applyEvent(undefined, event.announced));
      for (const each of more) {
        const seen = deepFreeze(structuredClone(unseen));
        const isTaken = takes(seen, each);
        const expected = isTaken ? applyEvent(seen, each) : seen;
        expect(isLegal(() => applyToUnseen(unseen, each))).toBe(isTaken);
        expect(unseen).toEqual(expected);
      }
    }),
  );
});

test("changes neither the given call nor the event", () => {
  fc.assert(
    fc.property(callLives, (life) => {
      const copy = structuredClone(life);
      let call: ToolCall | undefined;
      for (const each of life) {
        const before = structuredClone(call);
        // Frozen: to change it in place would throw.
        const next = applyEvent(deepFreeze(call), deepFreeze(each));
        expect(call).toEqual(before);
        call = next;
      }
      expect(life).toEqual(copy);
    }),
  );
});
