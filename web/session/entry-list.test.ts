import type { SessionEntry } from "toolgate/serve/client";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EntryList, type EntryFrame } from "./entry-list.js";

const message = (key: string, text = key): SessionEntry => ({
  type: "message",
  key,
  isCutOff: false,
  message: { messageId: key, role: "agent", at: 0, blocks: [{ type: "text", text }] },
});
const stop = (key: string): SessionEntry => ({ type: "turn-stopped", key, at: 0, reason: "cancelled" });
const keys = (list: EntryList): readonly string[] => list.snapshot().map(({ key }) => key);
const start = (entries: readonly SessionEntry[], earlier = 0): EntryList =>
  new EntryList(entries, { seq: 10, earlier });

describe("the entries of a session", () => {
  test("takes new, changed and removed entries", () => {
    const list = start([message("a"), message("b")]);
    list.apply({ type: "entry", seq: 11, after: "a", entry: stop("between") });
    list.apply({ type: "entry", seq: 12, after: "a", entry: message("b", "changed") });
    list.apply({ type: "entry-removed", seq: 13, key: "a" });
    list.apply({ type: "entry", seq: 14, after: "b", entry: message("c") });
    expect(keys(list)).toEqual(["between", "b", "c"]);
    expect(list.snapshot()[1]).toMatchObject({ message: { blocks: [{ text: "changed" }] } });
  });

  test("grows a message once, however often the stream repeats it", () => {
    const list = start([message("a", "Hel")]);
    const grown: EntryFrame = { type: "message-grew", seq: 11, key: "a", offset: 3, text: "lo" };
    list.apply(grown);
    list.apply(grown);
    expect(list.snapshot()[0]).toMatchObject({ message: { blocks: [{ text: "Hello" }] } });
  });

  test("counts an entry that belongs before the loaded ones as earlier", () => {
    const list = start([message("x")], 5);
    list.apply({ type: "entry", seq: 11, after: "not loaded", entry: message("y") });
    expect(keys(list)).toEqual(["x"]);
    expect(list.earlier).toBe(6);
    list.prepend([message("w"), message("x")], 4);
    expect(keys(list)).toEqual(["w", "x"]);
  });

  test("never shows an entry twice, whatever comes", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e");
    const frame: fc.Arbitrary<EntryFrame> = fc.oneof(
      fc.record({
        type: fc.constant("entry" as const),
        seq: fc.nat(50),
        after: fc.option(key),
        entry: key.map((one) => message(one)),
      }),
      fc.record({
        type: fc.constant("message-grew" as const),
        seq: fc.nat(50),
        key,
        offset: fc.nat(5),
        text: fc.string(),
      }),
      fc.record({ type: fc.constant("entry-removed" as const), seq: fc.nat(50), key }),
    );
    fc.assert(
      fc.property(fc.array(frame), fc.nat(3), (frames, earlier) => {
        const list = start([message("a"), message("b")], earlier);
        for (const one of frames) list.apply(one);
        expect(new Set(keys(list)).size).toBe(keys(list).length);
      }),
    );
  });
});
