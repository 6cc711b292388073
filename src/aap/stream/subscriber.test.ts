import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../call/index.js";
import { SessionBook } from "../../call/index.js";
import { idText, readEventId } from "./event-id.js";
import { Subscription } from "./subscriber.js";
import { TurnEvents } from "./turn-events.js";
import type { StreamEvent } from "./stream-event.js";

const words = (text: string, messageId: string): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId,
  role: "agent",
  block: { type: "text", text },
});

/** What someone hears who has heard the events up to `after` before. */
function heardAfter(
  after: StreamEvent | undefined,
  ...tellings: readonly (readonly StreamEvent[])[]
): readonly StreamEvent[] {
  const heard: StreamEvent[] = [];
  const subscriber = {
    listener: (told: readonly StreamEvent[]) => void heard.push(...told),
    signal: new AbortController().signal,
    isBehind: () => false,
    drained: async () => undefined,
  };
  const subscription = new Subscription(subscriber, after && readEventId(idText(after)));
  for (const told of tellings) subscription.send(told);
  return heard;
}

const textOf = (told: readonly StreamEvent[]): string =>
  told.map(({ wire: { data } }) => ("delta" in data ? data.delta : "")).join("");

const reading = () => new TurnEvents(new SessionBook("s"), { hasSteps: true });

test("words that were heard in pieces go on in the middle of the event that they were recorded in", () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(
      fc.array(pieces, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.nat(),
      (goingOn, cut, more) => {
        // A message's first words are told when they are recorded, and whole.
        const events = [["First. "], ...goingOn];
        const live = reading();
        const told = events.flatMap((all, index) =>
          all.flatMap((piece) => live.read(words(piece, "m"), index + 1)),
        );
        const at = cut % told.length;
        const log = reading();
        const recorded = events.map((all, index) => log.read(words(all.join(""), "m"), index + 1));
        const whole = textOf(told);
        const rest = whole.slice(textOf(told.slice(0, at + 1)).length);
        // From the log alone, and from the log and then from those that are told now, some of them again.
        expect(textOf(heardAfter(told[at], ...recorded))).toBe(rest);
        const read = more % (recorded.length + 1);
        const all = heardAfter(told[at], ...recorded.slice(0, read), ...told.map((one) => [one]));
        expect(textOf(all)).toBe(rest);
      },
    ),
  );
});

test("what comes to stand in the place of words that were lost is told whole", () => {
  const live = reading();
  live.read(words("First. ", "m"), 1);
  const [lost] = live.read(words("Lost with its process.", "m"), 2);
  const log = reading();
  const recorded = log.read(words("First. ", "m"), 1);
  const instead = log.read(words("Another answer.", "other"), 2);
  expect(textOf(heardAfter(lost, recorded, instead))).toBe("Another answer.");
  const ended: SessionEvent = { type: "turn-stopped", at: 1, turnId: "t", stopReason: "end_turn" };
  const stopped = reading();
  stopped.read(words("First. ", "m"), 1);
  expect(heardAfter(lost, stopped.read(ended, 2)).map(({ wire }) => wire.event)).toEqual(["text"]);
});
