import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { eventStream, frame } from "./event-stream.js";
import type { SseSink } from "./event-stream.js";
import { ResponseWriter } from "./write-response.js";

const MEGABYTE = 1024 * 1024;
/** Longer than a stream may be silent once the server ends. */
const LONG_AFTER = 600;

/** A server whose every answer is a stream of what `run` writes. */
async function streaming(run: (sink: SseSink) => Promise<void>) {
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
  const ask = (times = 1): Socket => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n".repeat(times));
    return socket;
  };
  return { writer, ask };
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

test("what a stream said before the server ends is brought to whoever takes a while to read it", async () => {
  const { writer, ask } = await streaming(async ({ write }) => write("x".repeat(24 * MEGABYTE) + STOP));
  const socket = ask();
  await once(socket, "readable");
  writer.end();
  await wait(LONG_AFTER);
  expect(await lastOf(socket)).toContain(STOP + WHOLE);
});

test("a stream that waits for its reader when the server ends goes on when that reads", async () => {
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

test("a stream that is silent when the server ends is cut, once what it said is read", async () => {
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

test("who hangs up ends all the streams they asked for, those included that wait for another to end", async () => {
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
