import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CODE, RpcError } from "./message.js";
import type { Incoming } from "./message.js";
import { ConnectionClosed, Peer } from "./peer.js";
import type { PeerHandlers } from "./peer.js";
import type { Wire, WireListener } from "./wire.js";

/** A wire whose other end is the test. */
class HandWire implements Wire {
  readonly lines: string[] = [];
  readonly sent: Incoming[] = [];
  readonly unsent = 0;
  #listener: WireListener | undefined;
  #end: () => void = () => undefined;

  send(message: object, text = JSON.stringify(message)): void {
    this.lines.push(text);
    // As it would arrive.
    this.sent.push(JSON.parse(text) as Incoming);
  }

  async drained(): Promise<void> {}

  listen(listener: WireListener): Promise<void> {
    this.#listener = listener;
    return new Promise((resolve) => (this.#end = resolve));
  }

  async close(): Promise<void> {
    this.#end();
  }

  receive(message: object): void {
    this.#listener?.message({ jsonrpc: "2.0", ...message });
  }
}

function peer(handlers: Partial<PeerHandlers> = {}) {
  const wire = new HandWire();
  const nothing = { request: () => ({}), notification: () => undefined };
  return { wire, peer: new Peer(wire, { ...nothing, ...handlers }) };
}

const settled = () => new Promise(setImmediate);

test("writes repeated notifications as if each were sent by itself", async () => {
  const { wire, peer: ours } = peer();
  const updates: readonly object[] = [{}, { title: 'null}} "\\ ', steps: [null, { a: 1 }] }];
  const tell = ours.notifier('odd "method"', (update: object | null) => ({
    sessionId: 'a "null}}"',
    update,
  }));
  for (const update of updates) tell(update);
  const paramsOf = (update: object) => ({ sessionId: 'a "null}}"', update });
  expect(wire.lines).toEqual(
    updates.map((update) =>
      JSON.stringify({ jsonrpc: "2.0", method: 'odd "method"', params: paramsOf(update) }),
    ),
  );
  await ours.close();
  tell({});
  expect(wire.sent).toHaveLength(2);
});

test("responds to a request once, with its result or its error", async () => {
  const { wire } = peer({
    request: ({ method }) => {
      if (method === "now") return { ok: true };
      if (method === "later") return Promise.resolve({ ok: "later" });
      if (method === "refused") throw new RpcError(CODE.invalidParams, "not\nlike that", { why: 1 });
      return Promise.reject(Object.assign(new Error("/home/me/secret"), { code: "ENOENT", syscall: "open" }));
    },
  });
  for (const [id, method] of ["now", "later", "refused", "broken"].entries()) wire.receive({ id, method });
  await settled();
  expect(wire.sent).toEqual(
    expect.arrayContaining([
      { jsonrpc: "2.0", id: 0, result: { ok: true } },
      { jsonrpc: "2.0", id: 1, result: { ok: "later" } },
      {
        jsonrpc: "2.0",
        id: 2,
        error: { code: CODE.invalidParams, message: expect.not.stringContaining("\n"), data: { why: 1 } },
      },
      {
        jsonrpc: "2.0",
        id: 3,
        error: { code: CODE.internal, message: expect.stringContaining("broke inside") },
      },
    ]),
  );
  expect(wire.sent).toHaveLength(4);
  expect(JSON.stringify(wire.sent)).not.toContain("secret");
});

test("responds with an error to a result that JSON cannot write", async () => {
  const { wire } = peer({ request: () => ({ big: 1n }) });
  wire.receive({ id: 1, method: "x" });
  wire.receive({ id: 2, method: "x" });
  expect(wire.sent).toMatchObject([
    { id: 1, error: { code: CODE.internal } },
    { id: 2, error: { code: CODE.internal } },
  ]);
});

test("distinguishes ids by type, and refuses ids that are in use or too large", () => {
  const asked: unknown[] = [];
  const { wire } = peer({ request: ({ params }) => (asked.push(params), new Promise(() => undefined)) });
  wire.receive({ id: 1, method: "x", params: "number" });
  wire.receive({ id: "1", method: "x", params: "text" });
  wire.receive({ id: 1, method: "x", params: "again" });
  wire.receive({ id: 2 ** 53, method: "x", params: "too large" });
  wire.receive({ id: { a: 1 }, method: "x", params: "object" });
  wire.receive({ id: 9, method: 7 });
  expect(asked).toEqual(["number", "text"]);
  expect(wire.sent).toMatchObject([
    { id: 1, error: { code: CODE.invalidRequest } },
    { id: null, error: { code: CODE.invalidRequest } },
    { id: null, error: { code: CODE.invalidRequest } },
    { id: 9, error: { code: CODE.invalidRequest } },
  ]);
});

test("ignores responses without a request and half messages", async () => {
  const { wire, peer: ours } = peer();
  wire.receive({ id: 77, result: {} });
  wire.receive({ id: 77, error: { code: 1, message: "x" } });
  const asked = ours.request("x", {});
  wire.receive({ id: 1 });
  await expect(asked).rejects.toThrow("neither a result nor an error");
  expect(wire.sent).toHaveLength(1);
  wire.receive({ id: "b", params: {} });
  expect(wire.sent[1]).toMatchObject({ id: "b", error: { code: CODE.invalidRequest } });
});

test("cancels a request on abort, and ignores its late response", async () => {
  const { wire, peer: ours } = peer();
  const stop = new AbortController();
  const asked = ours.request("ask", { a: 1 }, { signal: stop.signal });
  stop.abort(new Error("no longer"));
  wire.receive({ id: 1, result: "late" });
  await expect(asked).rejects.toThrow("no longer");
  expect(wire.sent).toMatchObject([
    { id: 1, method: "ask", params: { a: 1 } },
    { method: "$/cancel_request", params: { requestId: 1 } },
  ]);
});

test("aborts the handler on the other side's cancellation, and responds with that", async () => {
  const { wire } = peer({
    request: ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
      ),
  });
  wire.receive({ id: "a", method: "long" });
  wire.receive({ method: "$/cancel_request", params: { requestId: "b" } });
  wire.receive({ method: "$/cancel_request", params: null });
  await settled();
  expect(wire.sent).toEqual([]);
  wire.receive({ method: "$/cancel_request", params: { requestId: "a" } });
  await settled();
  expect(wire.sent).toMatchObject([{ id: "a", error: { code: CODE.cancelled } }]);
});

test("rejects pending requests and sends nothing more when the connection ends", async () => {
  const signals: AbortSignal[] = [];
  const { wire, peer: ours } = peer({
    request: ({ signal }) => (signals.push(signal), new Promise(() => undefined)),
  });
  wire.receive({ id: 1, method: "x" });
  const asked = ours.request("x", {});
  await wire.close();
  await expect(asked).rejects.toThrow(ConnectionClosed);
  await expect(ours.request("x", {})).rejects.toThrow(ConnectionClosed);
  expect(signals[0]?.aborted).toBe(true);
  const before = wire.sent.length;
  ours.notify("x", {});
  expect(wire.sent).toHaveLength(before);
});

test("handles each notification before the next message, in any mixture", () => {
  const kinds = fc.array(fc.constantFrom("notified", "asked", "answered"), { maxLength: 40 });
  fc.assert(
    fc.property(kinds, (mixture) => {
      const order: number[] = [];
      const { wire } = peer({
        request: ({ params }) => (order.push(Number(params)), {}),
        notification: (_method, params) => void order.push(Number(params)),
      });
      for (const [place, kind] of mixture.entries())
        wire.receive(
          kind === "answered"
            ? { id: place, result: {} }
            : { method: "x", params: place, ...(kind === "asked" && { id: place }) },
        );
      expect(order).toEqual([...mixture.keys()].filter((place) => mixture[place] !== "answered"));
      expect(wire.sent).toHaveLength(mixture.filter((kind) => kind === "asked").length);
    }),
  );
});

test("never throws on a message, and responds once to every request", () => {
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0", 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.object()),
      method: fc.oneof(fc.string(), fc.constant("$/cancel_request"), fc.integer()),
      params: fc.anything(),
      result: fc.anything(),
      error: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
      const { wire } = peer();
      for (const one of messages) wire.receive({ jsonrpc: one.jsonrpc, ...one });
      const requests = messages.filter((one) => "method" in one && "id" in one);
      const answered = wire.sent.filter((one) => "result" in one || "error" in one);
      expect(answered.length).toBeGreaterThanOrEqual(requests.length);
    }),
  );
});
