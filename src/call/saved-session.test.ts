/** A session written down and read again. That it goes on as if it had never been away is in `session-book.property.test.ts`. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { annSaysYes, answered, bookOf, chunk, event, onCall, text, turn, yes } from "./events.samples.js";
import { inputText } from "./partial-input.js";
import { FOLD_VERSION, savedSession, sessionFromSaved } from "./saved-session.js";
import { SessionBook } from "./session-book.js";

const everyday = () =>
  bookOf(
    turn.started,
    chunk(text("I will "), "m1"),
    chunk(text("edit it."), "m1"),
    event.announced,
    event.delta,
    event.ready,
    event.asked,
    answered(yes),
    { ...event.cleared, decision: annSaysYes },
    event.started,
    event.appended,
    event.printed,
    event.exited,
    event.done,
    ...onCall("call_2", event.announced, event.delta),
  );

// When this fails, the fold has changed: raise FOLD_VERSION, or snapshots of the old one would be believed.
test("folds the same session as when FOLD_VERSION was set", () => {
  const saved = savedSession(everyday().snapshot());
  const digest = createHash("sha256").update(saved).digest("hex").slice(0, 16);
  expect([FOLD_VERSION, digest]).toEqual([4, "19588ff561516def"]);
});

test("ignores a snapshot of another fold version, and throws on one that nobody wrote", () => {
  const saved = savedSession(everyday().snapshot());
  expect(sessionFromSaved(saved)).toStrictEqual(everyday().snapshot());
  expect(sessionFromSaved(saved.replace(`"version":${FOLD_VERSION}`, `"version":0`))).toBeUndefined();
  expect(() => sessionFromSaved(saved.slice(0, -20))).toThrow(SyntaxError);
  expect(() => sessionFromSaved(JSON.stringify({ version: FOLD_VERSION }))).toThrow(TypeError);
});

test("continues a restored draft where it was cut, wherever that was", () => {
  const input = JSON.stringify({ path: "/a", text: 'x"}\\'.repeat(300), last: [1, { two: 2 }] });
  for (const cut of [0, 1, 13, 255, 256, 257, 700, input.length - 1, input.length]) {
    const piece = (words: string) => ({ ...event.delta, text: words });
    const before = bookOf(event.announced, piece(input.slice(0, 9)), piece(input.slice(9, Math.max(9, cut))));
    const session = sessionFromSaved(savedSession(before.snapshot()));
    const books = [before, SessionBook.restored(session ?? bookOf().snapshot())];
    for (const book of books) book.applyAll([piece(input.slice(Math.max(9, cut))), event.cancelled]);
    const [live, restored] = books.map((book) => book.snapshot());
    expect(restored).toStrictEqual(live);
    expect(live?.timeline).toMatchObject([{ call: { rawInput: JSON.parse(input) } }]);
  }
});

test("saves a draft with as many fields as it is long", () => {
  const fields = Array.from({ length: 20_000 }, (_, index) => `"f${index}":${index}`).join(",");
  const book = bookOf(event.announced, { ...event.delta, text: `{${fields},` });
  const session = sessionFromSaved(savedSession(book.snapshot()));
  const [entry] = session?.timeline ?? [];
  const state = entry?.type === "call" ? entry.call.state : undefined;
  expect(state?.status === "drafting" && inputText(state.draft)).toBe(`{${fields},`);
});
