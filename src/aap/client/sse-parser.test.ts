import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readSse } from "./read-sse.js";
import { SseParser } from "./sse-parser.js";
import type { SseFrame } from "./sse-parser.js";

function parse(...pieces: string[]): readonly SseFrame[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

test("reads a frame's event, data and id", () => {
  expect(parse('id: 1\nevent: text_delta\ndata: {"delta":"a"}\n\ndata: b\n\n')).toEqual([
    { event: "text_delta", data: '{"delta":"a"}', id: "1" },
    { event: "message", data: "b" },
  ]);
});

test("keeps the last id and retry time until the server sends others", () => {
  const parser = new SseParser();
  parser.push("retry: 20\nid: 7\n\n: ping\n\ndata: x\n\nretry: soon\nid: a\u0000b\n\nid: 9\n");
  // The last one's blank line has not come.
  expect([parser.lastEventId, parser.retry]).toEqual(["7", 20]);
  parser.push("\nid\n\n");
  expect(parser.lastEventId).toBe("");
});

test("gives up on a server that never ends a line or a frame", () => {
  const piece = "x".repeat(8 * 1024 * 1024);
  for (const text of [piece, `data: ${piece}\n`]) {
    const parser = new SseParser();
    const pushAll = () => {
      for (let count = 0; count < 9; count += 1) parser.push(text);
    };
    expect(pushAll).toThrow(
      "The server sent an event of more than 67108864 characters. The stream was given up.",
    );
  }
});

test("joins several data lines into one text, without the one space after each colon", () => {
  expect(parse("data:one\ndata:  two\ndata\n\n")).toEqual([{ event: "message", data: "one\n two\n" }]);
});

test("skips comments, unknown fields and frames without data", () => {
  expect(parse(": ping\n\nretry: 5\n\nevent: lost\n\ndata: x\n\n")).toEqual([
    { event: "message", data: "x" },
  ]);
});

test("drops a frame that no blank line ends", () => {
  expect(parse("event: turn_stop\ndata: {}\n")).toEqual([]);
});

test("skips a byte order mark at the start", () => {
  expect(parse("\uFEFFdata: x\n\n")).toEqual([{ event: "message", data: "x" }]);
});

test("reads a line end whose CR and LF arrive in two pieces", () => {
  expect(parse("data: a\r", "\ndata: b\r", "\n\r", "\n")).toEqual([{ event: "message", data: "a\nb" }]);
});

/** A reader of whole texts, written from the standard's own steps and not from the parser. */
function oracle(stream: string): { frames: SseFrame[]; lastEventId: string; retry: number | undefined } {
  const frames: SseFrame[] = [];
  let [event, data, lastEventId]: [string, string[], string] = ["", [], ""];
  let [id, retry]: [string | undefined, number | undefined] = [undefined, undefined];
  const lines = stream
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .split("\n");
  for (const line of lines.slice(0, -1)) {
    const [, field = "", value = ""] = /^([^:]*)(?::\u0020?([^]*))?$/.exec(line) ?? [];
    if (line === "") {
      if (data.length > 0)
        frames.push({ event: event || "message", data: data.join("\n"), ...(id !== undefined && { id }) });
      if (id !== undefined) lastEventId = id;
      [event, data, id] = ["", [], undefined];
    } else if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\u0000")) id = value;
    else if (field === "retry" && /^[0-9]+$/.test(value)) retry = Number(value);
  }
  return { frames, lastEventId, retry };
}

const word = fc.string({
  unit: fc.constantFrom("a", "é", "{", ":", " ", "\u2028", "🙂", "\uFEFF", "1", "\u0000"),
});
const field = fc.constantFrom("event", "data", "data", "data", "id", "retry", "", "datas", "other");
const line = fc.oneof(
  fc.tuple(field, fc.constantFrom(":", ": ", ":  "), word).map((parts) => parts.join("")),
  field,
  fc.constant(""),
  fc.constant(""),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const stream = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, lineEnd)), word)
  .map(([mark, lines, rest]) => `${mark ? "\uFEFF" : ""}${lines.flat().join("")}${rest}`);

test("reads any stream as the standard says, wherever its bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(), { maxLength: 40 }), async (text, cuts) => {
      const bytes = new TextEncoder().encode(text);
      const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
        (one, other) => one - other,
      );
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const [index, from] of at.entries()) controller.enqueue(bytes.slice(from, at[index + 1]));
          controller.close();
        },
      });
      const parser = new SseParser();
      const frames: SseFrame[] = [];
      for await (const frame of readSse(body, parser)) frames.push(frame);
      const { lastEventId, retry } = parser;
      expect({ frames, lastEventId, retry }).toEqual(oracle(text));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) },
  );
});
