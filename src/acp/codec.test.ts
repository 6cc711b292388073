import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callAfter, calls, lives } from "../call/calls.samples.js";
import type { SessionEvent } from "../call/index.js";
import { applyEvent, SessionBook } from "../call/index.js";
import { Receiver, READ_AT, schemaCheck, VERSIONS, withoutToolgate } from "./codec.samples.js";
import { expectedCall, withSomePatch } from "./expected-call.samples.js";

const RUNS = { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) };

describe.each(VERSIONS)("ACP v$version", (codec) => {
  const check = schemaCheck(codec);
  const { version } = codec;

  test("writes only messages that are valid against the SDK's schema", () => {
    fc.assert(
      fc.property(lives(), (life) => {
        const encoder = codec.encoder();
        let call;
        for (const event of life) {
          if (!("toolCallId" in event)) continue;
          call = applyEvent(call, event);
          for (const update of encoder.encode(call))
            expect(check(JSON.parse(JSON.stringify(update)))).toBeNull();
        }
      }),
      RUNS,
    );
  });

  test("gives a foreign reader the call as far as this version can express it", () => {
    fc.assert(
      fc.property(calls, (call) => {
        const far = new Receiver(codec);
        far.receive(codec.encoder().encode(call).map(withoutToolgate));
        expect(withSomePatch(far.call()!)).toEqual(
          expectedCall(version, call, { withToolgate: false, at: READ_AT }),
        );
      }),
      RUNS,
    );
  });

  test("gives our reader the status, decision, times, progress and parent too", () => {
    fc.assert(
      fc.property(calls, (call) => {
        const far = new Receiver(codec);
        far.receive(codec.encoder().encode(call));
        expect(withSomePatch(far.call()!)).toEqual(
          expectedCall(version, call, { withToolgate: true, at: READ_AT }),
        );
        expect(far.repairs()).toEqual([]);
      }),
      RUNS,
    );
  });

  test("folds the stream of changed fields to the same call", () => {
    fc.assert(
      fc.property(lives(), fc.array(fc.boolean(), { maxLength: 40 }), (life, sends) => {
        const encoder = codec.encoder();
        const far = new Receiver(codec);
        const book = new SessionBook("session-1");
        life.forEach((event: SessionEvent, index) => {
          book.apply(event);
          const isLast = index === life.length - 1;
          // Several changes may be sent at once: a slow client gets fewer messages, not other ones.
          if (sends[index] !== false || isLast) far.receive(encoder.encode(book.call("call_1")!));
        });
        expect(far.repairs()).toEqual([]);
        expect(withSomePatch(far.call()!)).toEqual(
          expectedCall(version, callAfter(life), { withToolgate: true, at: READ_AT }),
        );
      }),
      RUNS,
    );
  });

  test("sends nothing when nothing changed", () => {
    fc.assert(
      fc.property(calls, (call) => {
        const encoder = codec.encoder();
        expect(encoder.encode(call)).not.toEqual([]);
        expect(encoder.encode(call)).toEqual([]);
        expect(encoder.encode({ ...call, content: structuredClone(call.content) })).toEqual([]);
      }),
      RUNS,
    );
  });
});
