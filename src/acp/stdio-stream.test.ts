import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stdioStream } from "./stdio-stream.js";

async function received(
  ...chunks: readonly (string | Buffer)[]
): Promise<{ messages: unknown[]; answers: unknown[] }> {
  const input = new PassThrough();
  const output = new PassThrough();
  const { readable } = stdioStream(input, output);
  for (const chunk of chunks) input.write(chunk);
  input.end();
  const messages: unknown[] = [];
  for await (const message of readable) messages.push(message);
  const written = String(output.read() ?? "");
  return {
    messages,
    answers: written
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line)),
  };
}

test("one message a line, however the bytes are cut", async () => {
  const sent = [{ a: "ü€𝄞" }, { b: [1, 2] }, { c: "line\nbreak" }];
  const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect((await received(...chunks.filter(({ length }) => length > 0))).messages).toEqual(sent);
    }),
  );
});

test("CRLF, a byte order mark, empty lines and a last line without its end are fine", async () => {
  expect((await received('\uFEFF{"a":1}\r\n\r\n\n{"b":2}')).messages).toEqual([{ a: 1 }, { b: 2 }]);
});

test("a line that is no JSON is answered with a parse error, and the next one is read", async () => {
  const { messages, answers } = await received('{"a":\n{"b":2}\n');
  expect(messages).toEqual([{ b: 2 }]);
  expect(answers).toMatchObject([{ jsonrpc: "2.0", id: null, error: { code: -32700 } }]);
});

test("a batch or a bare value is answered with an invalid request", async () => {
  const { messages, answers } = await received('[{"a":1}]\n7\n');
  expect(messages).toEqual([]);
  expect(answers).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
});

test("a line that never ends closes the connection before it fills the memory", async () => {
  const piece = "x".repeat(1024 * 1024);
  await expect(received(...Array.from({ length: 33 }, () => piece))).rejects.toThrow("longer than");
});

test("writing to a client that is gone fails the write and not the process", async () => {
  const output = new PassThrough();
  const { writable } = stdioStream(new PassThrough(), output);
  output.destroy();
  await expect(writable.getWriter().write({ jsonrpc: "2.0", method: "x" })).rejects.toThrow(/destroyed/);
});
