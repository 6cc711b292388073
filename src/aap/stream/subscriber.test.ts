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

/** The events that a subscriber gets after those up to `after`. */
function receivedAfter(
  after: StreamEvent | undefined,
  ...batches: readonly (readonly StreamEvent[])[]
): readonly StreamEvent[] {
  const received: StreamEvent[] = [];
  const subscriber = {
    listener: (events: readonly StreamEvent[]) => void received.push(...events),
    signal: new AbortController().signal,
    isBehind: () => false,
    drained: async () => undefined,
  };
  const subscription = new Subscription(subscriber, after && readEventId(idText(after)));
  for (const batch of batches) subscription.send(batch);
  return received;
}

const textOf = (sent: readonly StreamEvent[]): string =>
  sent.map(({ wire: { data } }) => ("delta" in data ? data.delta : "")).join("");

const reading = () => new TurnEvents(new SessionBook("s"), { hasSteps: true });

test("continues in the middle of a recorded event whose text was sent in pieces", () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(
      fc.array(pieces, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.nat(),
      (goingOn, cut, more) => {
        // The first chunk of a message is sent when it is recorded, and whole.
        const events = [["First. "], ...goingOn];
        const live = reading();
        const sent = events.flatMap((all, index) =>
          all.flatMap((piece) => live.read(words(piece, "m"), index + 1)),
        );
        const at = cut % sent.length;
        const log = reading();
        const recorded = events.map((all, index) => log.read(words(all.join(""), "m"), index + 1));
        const whole = textOf(sent);
        const rest = whole.slice(textOf(sent.slice(0, at + 1)).length);
        // From the log alone, and from the log followed by live events, which repeat some of the log.
        expect(textOf(receivedAfter(sent[at], ...recorded))).toBe(rest);
        const read = more % (recorded.length + 1);
        const all = receivedAfter(sent[at], ...recorded.slice(0, read), ...sent.map((one) => [one]));
        expect(textOf(all)).toBe(rest);
      },
    ),
  );
});

test("sends the replacement of lost text whole", () => {
  const live = reading();
  live.read(words("First. ", "m"), 1);
  const [lost] = live.read(words("Lost with its process.", "m"), 2);
  const log = reading();
  const recorded = log.read(words("First. ", "m"), 1);
  const instead = log.read(words("Another answer.", "other"), 2);
  expect(textOf(receivedAfter(lost, recorded, instead))).toBe("Another answer.");
  const ended: SessionEvent = { type: "turn-stopped", at: 1, turnId: "t", stopReason: "end_turn" };
  const stopped = reading();
  stopped.read(words("First. ", "m"), 1);
  expect(receivedAfter(lost, stopped.read(ended, 2)).map(({ wire }) => wire.event)).toEqual(["text"]);
});
