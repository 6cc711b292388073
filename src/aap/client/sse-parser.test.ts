import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SseParser } from "./sse-parser.js";
import type { SseFrame } from "./sse-parser.js";

function parse(...pieces: string[]): readonly SseFrame[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

test("a frame is its event and its data", () => {
  expect(parse('id: 1\nevent: text_delta\ndata: {"delta":"a"}\n\n')).toEqual([
    { event: "text_delta", data: '{"delta":"a"}' },
  ]);
});

test("several lines of data are one text, and only one space after the colon is not part of it", () => {
  expect(parse("data:one\ndata:  two\ndata\n\n")).toEqual([{ event: "message", data: "one\n two\n" }]);
});

test("comments, unknown fields and frames without data are no frames", () => {
  expect(parse(": ping\n\nretry: 5\n\nevent: lost\n\ndata: x\n\n")).toEqual([
    { event: "message", data: "x" },
  ]);
});

test("a frame without its blank line does not count", () => {
  expect(parse("event: turn_stop\ndata: {}\n")).toEqual([]);
});

test("a byte order mark at the start is passed over", () => {
  expect(parse("\uFEFFdata: x\n\n")).toEqual([{ event: "message", data: "x" }]);
});

test("a carriage return and its line feed may come in two pieces", () => {
  expect(parse("data: a\r", "\ndata: b\r", "\n\r", "\n")).toEqual([{ event: "message", data: "a\nb" }]);
});

test("whatever the line ends and wherever the stream is cut, the frames are the same", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "é", "{", ":", " ", "\u2028", "🙂") });
  const event = fc.constantFrom("text_delta", "turn_stop", "x");
  const frames = fc.array(fc.record({ event, lines: fc.array(word, { minLength: 1, maxLength: 3 }) }));
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(frames, lineEnd, fc.array(fc.nat(), { maxLength: 30 }), (sent, end, cuts) => {
      const text = sent
        .flatMap((frame, index) => [
          `: comment ${index}`,
          `event: ${frame.event}`,
          ...frame.lines.map((line) => `data: ${line}`),
          "",
        ])
        .map((line) => line + end)
        .join("");
      const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
        (one, other) => one - other,
      );
      const pieces = at.map((from, index) => text.slice(from, at[index + 1] ?? text.length));
      expect(parse(...pieces)).toEqual(
        sent.map((frame) => ({ event: frame.event, data: frame.lines.join("\n") })),
      );
    }),
  );
});
