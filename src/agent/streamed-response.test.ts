import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StreamedResponse } from "./streamed-response.js";

const signed = (signature: string) => ({ vendor: { signature } });

test("a part's signature is put together from its start, its pieces and its end", () => {
  const answer = new StreamedResponse();
  const more = (fields: Record<string, string | null>) => ({ vendor: fields });
  answer.read({ type: "reasoning-start", id: "0", providerMetadata: more({ item: "rs", sealed: null }) });
  answer.read({ type: "reasoning-delta", id: "0", delta: "Hm." });
  answer.read({ type: "reasoning-delta", id: "0", delta: "", providerMetadata: more({ signature: "s" }) });
  answer.read({
    type: "reasoning-end",
    id: "0",
    providerMetadata: { ...more({ sealed: "x" }), b: { c: 1 } },
  });
  answer.addCall(signed("call"));
  answer.addCall();
  answer.read({ type: "text-delta", id: "0", delta: "So." });
  expect(answer.recorded("vendor/model", ["call_7", "call_8"])).toEqual({
    model: "vendor/model",
    parts: [
      {
        type: "reasoning",
        length: 3,
        providerOptions: { vendor: { item: "rs", sealed: "x", signature: "s" }, b: { c: 1 } },
      },
      { type: "tool-call", toolCallId: "call_7", providerOptions: signed("call") },
      { type: "tool-call", toolCallId: "call_8" },
      { type: "text", length: 3 },
    ],
  });
});

test("a part that is over is not gone on with, also where a provider does not say that another begins", () => {
  const answer = new StreamedResponse();
  for (const signature of ["a", "b"]) {
    answer.read({ type: "text-delta", id: "0", delta: signature });
    answer.read({ type: "text-end", id: "0", providerMetadata: signed(signature) });
  }
  expect(answer.recorded("vendor/model", [])?.parts).toEqual([
    { type: "text", length: 1, providerOptions: signed("a") },
    { type: "text", length: 1, providerOptions: signed("b") },
  ]);
});

test("nothing is recorded of an answer to which nothing is attached", () => {
  const answer = new StreamedResponse();
  answer.read({ type: "text-start", id: "0", providerMetadata: {} });
  answer.read({ type: "text-delta", id: "0", delta: "Hello" });
  answer.addCall();
  expect(answer.recorded("vendor/model", ["call_1"])).toBeUndefined();
});

test("nothing is recorded where the words of two parts are mixed", () => {
  const answer = new StreamedResponse();
  for (const id of ["a", "b", "a"]) answer.read({ type: "reasoning-delta", id, delta: id });
  answer.read({ type: "reasoning-end", id: "a", providerMetadata: signed("s") });
  expect(answer.recorded("vendor/model", [])).toBeUndefined();
});

test("what is too large, too deep or no JSON is dropped whole, and what is attached elsewhere stays", () => {
  const cyclic: Record<string, never> = {};
  // A package that breaks its own types.
  Object.assign(cyclic, { self: cyclic });
  let deep: Record<string, object> = {};
  for (let level = 0; level < 100; level += 1) deep = { deep };
  // As above.
  const wrong = [signed("x".repeat(300_000)), { vendor: cyclic }, { vendor: deep as Record<string, never> }];
  const answer = new StreamedResponse();
  for (const metadata of wrong) answer.addCall(metadata);
  // A field that is undefined is as if it were left out.
  answer.addCall({ vendor: { signature: "s", caller: undefined } });
  expect(answer.recorded("vendor/model", ["1", "2", "3", "4"])?.parts).toStrictEqual([
    { type: "tool-call", toolCallId: "1" },
    { type: "tool-call", toolCallId: "2" },
    { type: "tool-call", toolCallId: "3" },
    { type: "tool-call", toolCallId: "4", providerOptions: signed("s") },
  ]);
});

test("the lengths cut the words into the parts that were streamed, however ids are used again", () => {
  const block = fc.record({
    type: fc.constantFrom("reasoning", "text"),
    id: fc.constantFrom("0", "1"),
    pieces: fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 }),
    isEnded: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
      const answer = new StreamedResponse();
      const said = { reasoning: "", text: "" };
      for (const { type, id, pieces, isEnded } of blocks) {
        answer.read({ type: `${type}-start`, id, providerMetadata: signed(pieces.join("")) });
        for (const delta of pieces) {
          said[type] += delta;
          answer.read({ type: `${type}-delta`, id, delta });
        }
        if (isEnded) answer.read({ type: `${type}-end`, id });
      }
      for (const part of answer.recorded("vendor/model", [])?.parts ?? []) {
        if (part.type === "tool-call") continue;
        const own = said[part.type].slice(0, part.length);
        said[part.type] = said[part.type].slice(part.length);
        expect(part.providerOptions).toEqual(signed(own));
      }
      expect(said).toEqual({ reasoning: "", text: "" });
    }),
  );
});
