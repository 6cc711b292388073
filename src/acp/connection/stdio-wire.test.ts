import { PassThrough, Writable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CODE } from "./message.js";
import { stdioWire } from "./stdio-wire.js";

type Received = { readonly messages: unknown[]; readonly unreadable: number[] };

async function received(chunks: Iterable<string | Buffer>): Promise<Received> {
  const input = new PassThrough();
  const messages: unknown[] = [];
  const unreadable: number[] = [];
  const over = stdioWire(input, new PassThrough()).listen({
    message: (message) => void messages.push(message),
    unreadable: (code) => void unreadable.push(code),
  });
  for (const chunk of chunks)
    if (!input.write(chunk)) await new Promise((resolve) => input.once("drain", resolve));
  input.end();
  await over;
  return { messages, unreadable };
}

test("reads one message a line, however the bytes are cut", async () => {
  const sent = [{ a: "ü€𝄞" }, { b: [1, 2] }, { c: "line\nbreak" }];
  const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect((await received(chunks.filter(({ length }) => length > 0))).messages).toEqual(sent);
    }),
  );
});

test("accepts CRLF, a byte order mark, empty lines and an unterminated last line", async () => {
  expect(await received(['\uFEFF{"a":1}\r\n\r\n   \n\n{"b":2}'])).toEqual({
    messages: [{ a: 1 }, { b: 2 }],
    unreadable: [],
  });
});

test("reports a line that is no JSON, and reads the next one", async () => {
  expect(await received(['{"a":\n', Buffer.from([0xff, 0xfe, 0, 1, 0x0a]), '{"b":2}\n'])).toEqual({
    messages: [{ b: 2 }],
    unreadable: [CODE.parseError, CODE.parseError],
  });
});

test("reports a batch or a bare value, and reads the next line", async () => {
  expect(await received(['[{"a":1}]\n42\n"x"\nnull\n{"b":2}\n'])).toEqual({
    messages: [{ b: 2 }],
    unreadable: Array.from({ length: 4 }, () => CODE.invalidRequest),
  });
});

test("drops a line that is too long without buffering it, and reads the next one", async () => {
  const piece = "x".repeat(1024 * 1024);
  function* endless() {
    for (let count = 0; count < 40; count++) yield piece;
    yield '\n{"b":2}\n';
  }
  expect(await received(endless())).toEqual({ messages: [{ b: 2 }], unreadable: [CODE.invalidRequest] });
});

test("reads a message of 31 MiB", async () => {
  const text = "x".repeat(31 * 1024 * 1024);
  const { messages } = await received([JSON.stringify({ text }), "\n"]);
  expect(messages).toEqual([{ text }]);
});

test("writes the messages of one tick together, in order", async () => {
  const output = new PassThrough();
  const wire = stdioWire(new PassThrough(), output);
  for (let count = 0; count < 3; count++) wire.send({ count });
  expect(wire.unsent).toBeGreaterThan(0);
  const [chunk] = await Promise.all([new Promise((resolve) => output.once("data", resolve)), wire.drained()]);
  expect(String(chunk)).toBe('{"count":0}\n{"count":1}\n{"count":2}\n');
  expect(wire.unsent).toBe(0);
});

test("does not split a character where a long text is cut", async () => {
  const output = new PassThrough({ encoding: "utf8" });
  const wire = stdioWire(new PassThrough(), output);
  const faces = "😀".repeat(1024 * 1024);
  let arrived = "";
  output.on("data", (text: string) => {
    arrived += text;
  });
  // Once at an even place and once at an odd one.
  const sent = [{ text: faces }, { text: `x${faces}` }].map((message) => `${JSON.stringify(message)}\n`);
  for (const line of sent) {
    wire.send(JSON.parse(line) as object);
    await wire.drained();
  }
  await new Promise(setImmediate);
  expect(arrived === sent.join("")).toBe(true);
});

test("delivers all messages in order, also when a write triggers more of them", async () => {
  const size = fc.oneof(fc.nat(100), fc.integer({ min: 30_000, max: 40_000 }), fc.constant(1_200_000));
  const message = fc.record({ size, isNextTurn: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), fc.nat(3), async (messages, more) => {
      const written: Buffer[] = [];
      let left = more;
      const output = new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          written.push(chunk);
          if (left-- > 0) say(40_000);
          setImmediate(done);
        },
      });
      const wire = stdioWire(new PassThrough(), output);
      let sent = "";
      const say = (length: number) => {
        const said = { number: sent.length, text: "é".repeat(length) };
        sent += `${JSON.stringify(said)}\n`;
        wire.send(said);
      };
      for (const { size: length, isNextTurn } of messages) {
        say(length);
        if (isNextTurn) await new Promise(setImmediate);
      }
      await wire.drained();
      expect(wire.unsent).toBe(0);
      expect(Buffer.concat(written).equals(Buffer.from(sent))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("counts the unsent text of a client that does not read, and does not wait for one that is gone", async () => {
  const output = new PassThrough({ highWaterMark: 16 });
  const wire = stdioWire(new PassThrough(), output);
  wire.send({ text: "x".repeat(1000) });
  await new Promise(setImmediate);
  wire.send({ text: "x".repeat(1000) });
  await new Promise(setImmediate);
  expect(wire.unsent).toBeGreaterThan(900);
  const drained = wire.drained();
  output.destroy();
  await drained;
  wire.send({ lost: true });
});

test("closes on a side that never reads before it fills the memory", async () => {
  const input = new PassThrough();
  const wire = stdioWire(input, new PassThrough({ highWaterMark: 16 }));
  const over = wire.listen({ message: () => undefined, unreadable: () => undefined });
  const text = "x".repeat(16 * 1024 * 1024);
  for (let count = 0; count < 9; count++) wire.send({ text });
  await over;
  await wire.drained();
  expect(input.destroyed).toBe(true);
});
