import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StreamedResponse } from "./streamed-response.js";

const signed = (signature: string) => ({ vendor: { signature } });

test("merges a part's signature from its start, its deltas and its end", () => {
  const response = new StreamedResponse();
  const more = (fields: Record<string, string | null>) => ({ vendor: fields });
  response.read({ type: "reasoning-start", id: "0", providerMetadata: more({ item: "rs", sealed: null }) });
  response.read({ type: "reasoning-delta", id: "0", delta: "Hm." });
  response.read({ type: "reasoning-delta", id: "0", delta: "", providerMetadata: more({ signature: "s" }) });
  response.read({
    type: "reasoning-end",
    id: "0",
    providerMetadata: { ...more({ sealed: "x" }), b: { c: 1 } },
  });
  response.addCall(signed("call"));
  response.addCall();
  response.read({ type: "text-delta", id: "0", delta: "So." });
  expect(response.recorded("vendor/model", ["call_7", "call_8"])).toEqual({
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

test("starts a new part after an ended one, also when the provider sends no start", () => {
  const response = new StreamedResponse();
  for (const signature of ["a", "b"]) {
    response.read({ type: "text-delta", id: "0", delta: signature });
    response.read({ type: "text-end", id: "0", providerMetadata: signed(signature) });
  }
  expect(response.recorded("vendor/model", [])?.parts).toEqual([
    { type: "text", length: 1, providerOptions: signed("a") },
    { type: "text", length: 1, providerOptions: signed("b") },
  ]);
});

test("records nothing for a response without metadata", () => {
  const response = new StreamedResponse();
  response.read({ type: "text-start", id: "0", providerMetadata: {} });
  response.read({ type: "text-delta", id: "0", delta: "Hello" });
  response.addCall();
  expect(response.recorded("vendor/model", ["call_1"])).toBeUndefined();
});

test("records nothing when the text of two parts is interleaved", () => {
  const response = new StreamedResponse();
  for (const id of ["a", "b", "a"]) response.read({ type: "reasoning-delta", id, delta: id });
  response.read({ type: "reasoning-end", id: "a", providerMetadata: signed("s") });
  expect(response.recorded("vendor/model", [])).toBeUndefined();
});

test("drops metadata that is too large, too deep or not JSON, and keeps the other parts' metadata", () => {
  const cyclic: Record<string, never> = {};
  // A package that breaks its own types.
  Object.assign(cyclic, { self: cyclic });
  let deep: Record<string, object> = {};
  for (let level = 0; level < 100; level += 1) deep = { deep };
  // As above.
  const wrong = [signed("x".repeat(300_000)), { vendor: cyclic }, { vendor: deep as Record<string, never> }];
  const response = new StreamedResponse();
  for (const metadata of wrong) response.addCall(metadata);
  // A field that is undefined is as if it were left out.
  response.addCall({ vendor: { signature: "s", caller: undefined } });
  expect(response.recorded("vendor/model", ["1", "2", "3", "4"])?.parts).toStrictEqual([
    { type: "tool-call", toolCallId: "1" },
    { type: "tool-call", toolCallId: "2" },
    { type: "tool-call", toolCallId: "3" },
    { type: "tool-call", toolCallId: "4", providerOptions: signed("s") },
  ]);
});

test("records lengths that cut the text into the streamed parts, also when ids are reused", () => {
  const block = fc.record({
    type: fc.constantFrom("reasoning", "text"),
    id: fc.constantFrom("0", "1"),
    pieces: fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 }),
    isEnded: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
      const response = new StreamedResponse();
      const said = { reasoning: "", text: "" };
      for (const { type, id, pieces, isEnded } of blocks) {
        response.read({ type: `${type}-start`, id, providerMetadata: signed(pieces.join("")) });
        for (const delta of pieces) {
          said[type] += delta;
          response.read({ type: `${type}-delta`, id, delta });
        }
        if (isEnded) response.read({ type: `${type}-end`, id });
      }
      for (const part of response.recorded("vendor/model", [])?.parts ?? []) {
        if (part.type === "tool-call") continue;
        const own = said[part.type].slice(0, part.length);
        said[part.type] = said[part.type].slice(part.length);
        expect(part.providerOptions).toEqual(signed(own));
      }
      expect(said).toEqual({ reasoning: "", text: "" });
    }),
  );
});
