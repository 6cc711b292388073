import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { eventStream, frame } from "../stream/event-stream.js";
import type { SseWriter } from "../stream/event-stream.js";
import { ResponseWriter } from "./response-writer.js";

const MEGABYTE = 1024 * 1024;
/** Longer than a stream may be silent once the server ends. */
const LONG_AFTER = 600;

/** A server whose every answer is a stream of what `run` writes. */
async function streaming(run: (sink: SseWriter) => Promise<void>) {
  const writer = new ResponseWriter(new Response(null));
  const server = createServer((_, to) => void eventStream(run, () => undefined, writer.streamTo(to)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const ask = (times = 1, line = "GET / HTTP/1.1"): Socket => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.write(`${line}\r\nhost: here\r\n\r\n`.repeat(times));
    return socket;
  };
  return { writer, ask, url: `http://127.0.0.1:${port}/` };
}

const STOP = frame("2.1", "turn_stop", {});
/** The last chunk of an answer that is whole. */
const WHOLE = "\r\n0\r\n\r\n";

/** The end of what comes, until the connection is closed or the answer is whole. */
async function lastOf(socket: Socket): Promise<string> {
  let last = "";
  for await (const piece of socket.setEncoding("latin1")) {
    last = (last + String(piece)).slice(-200);
    if (last.endsWith(WHOLE)) return last;
  }
  return last;
}

test("delivers a stream's events to a slow reader when the server closes", async () => {
  const { writer, ask } = await streaming(async ({ write }) => write("x".repeat(24 * MEGABYTE) + STOP));
  const socket = ask();
  await once(socket, "readable");
  writer.end();
  await wait(LONG_AFTER);
  expect(await lastOf(socket)).toContain(STOP + WHOLE);
});

test("continues a stream that waits for its reader when the server closes", async () => {
  const { writer, ask } = await streaming(async ({ write, drained }) => {
    write("x".repeat(24 * MEGABYTE));
    await drained();
    write(STOP);
  });
  const socket = ask();
  await once(socket, "readable");
  writer.end();
  await wait(LONG_AFTER);
  expect(await lastOf(socket)).toContain(STOP + WHOLE);
});

test("cuts an idle stream when the server closes, after its events were read", async () => {
  const { writer, ask } = await streaming(async ({ write, signal }) => {
    write(STOP);
    await once(signal, "abort");
  });
  const socket = ask();
  await once(socket, "readable");
  writer.end();
  const last = await lastOf(socket);
  expect(last).toContain(STOP);
  expect(last).not.toContain(WHOLE);
});

test("ends all streams of a client that hangs up, also those in the queue", async () => {
  const signals: AbortSignal[] = [];
  const { ask } = await streaming(async ({ write, signal }) => {
    signals.push(signal);
    write(STOP);
    await once(signal, "abort");
  });
  const socket = ask(3);
  await expect.poll(() => signals.length).toBe(3);
  socket.destroy();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

test("does not buffer a queued stream while the one before it is read", async () => {
  const streams: { megabytes: number }[] = [];
  const { ask } = await streaming(async ({ write, isBehind, drained, signal }) => {
    const written = { megabytes: 0 };
    streams.push(written);
    for (; written.megabytes < 16 && !signal.aborted; written.megabytes += 1) {
      write("x".repeat(MEGABYTE));
      if (isBehind()) await drained();
    }
  });
  const socket = ask(2);
  let read = 0;
  for await (const piece of socket) {
    read += Buffer.byteLength(piece);
    if (read > 12 * MEGABYTE) break;
  }
  expect(streams[1]?.megabytes).toBeLessThan(3);
});

test("delivers a stream to a slow client that has closed its sending side", async () => {
  const said = ("x".repeat(1_000) + STOP).repeat(8_000);
  const { ask } = await streaming(async ({ write, signal }) => {
    write(said);
    for (let count = 0; count < 100 && !signal.aborted; count += 1) {
      await wait(5);
      write(STOP);
    }
  });
  const socket = ask();
  await once(socket, "readable");
  socket.end();
  await wait(50);
  let read = 0;
  for await (const piece of socket) read += Buffer.byteLength(piece);
  expect(read).toBeGreaterThan(said.length);
});

/** Says words of several languages one by one, each in a moment of its own, more than one of them in some. */
async function sayHello({ write }: SseWriter): Promise<void> {
  for (const word of GREETING) {
    write(frame("1.1", "text_delta", { delta: word }));
    if (word.length > 2) await wait(5);
  }
  write(STOP);
}
const GREETING = ["Hello", ", ", "Привет", ", ", "你好世界", " ", "👋🏽", "!"];
const HELLO = GREETING.map((delta) => frame("1.1", "text_delta", { delta })).join("") + STOP;

test("delivers streams whole and in order on a reused connection", async () => {
  const { url } = await streaming(sayHello);
  for (let times = 0; times < 3; times += 1) {
    const response = await fetch(url);
    expect(await response.text()).toBe(HELLO);
  }
});

test("delivers pipelined streams one after the other", async () => {
  const { ask } = await streaming(sayHello);
  const socket = ask(3);
  let all = "";
  for await (const piece of socket) {
    all += Buffer.from(piece).toString("latin1");
    if (all.split(WHOLE).length > 3) break;
  }
  const answers = all.split(WHOLE).slice(0, 3).map(textOfChunks);
  expect(answers).toEqual([HELLO, HELLO, HELLO]);
});

test("sends no chunks to HTTP/1.0, and only headers to HEAD", async () => {
  const { ask } = await streaming(sayHello);
  const old = await everythingFrom(ask(1, "GET / HTTP/1.0"));
  expect(Buffer.from(afterHead(old), "latin1").toString()).toBe(HELLO);
  const head = await everythingFrom(ask(1, "HEAD / HTTP/1.1\r\nconnection: close"));
  expect(head).toContain("HTTP/1.1 200 OK");
  expect(afterHead(head)).toBe("");
});

const afterHead = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4);

async function everythingFrom(socket: Socket): Promise<string> {
  let all = "";
  for await (const piece of socket.setEncoding("latin1")) all += String(piece);
  return all;
}

/** The text in the chunks of a response, given its bytes up to the last chunk, which is empty. */
function textOfChunks(answer: string): string {
  let rest = `${afterHead(answer)}\r\n`;
  let text = "";
  while (rest !== "") {
    const start = rest.indexOf("\r\n") + 2;
    const end = start + Number.parseInt(rest, 16);
    text += rest.slice(start, end);
    expect(rest.slice(end, end + 2)).toBe("\r\n");
    rest = rest.slice(end + 2);
  }
  return Buffer.from(text, "latin1").toString();
}
