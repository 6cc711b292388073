import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openDoor } from "./open-door.js";

test("emits close on every open response when the client hangs up, also on queued ones", async () => {
  let [started, closed] = [0, 0];
  const door = await openDoor(
    { at: { host: "127.0.0.1", port: 0 }, token: "the-token-of-the-test" },
    {
      pageHeaders: { sent: [], read: [] },
      onRequest: (_, response) => {
        started += 1;
        response.once("close", () => {
          closed += 1;
        });
      },
    },
  );
  onTestFinished(() => door.close(async () => undefined));
  const { port, host } = new URL(door.url);
  const socket = connect(Number(port), "127.0.0.1");
  const head = `GET /sessions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer the-token-of-the-test\r\n\r\n`;
  socket.write(head.repeat(3));
  await expect.poll(() => started).toBe(3);
  socket.destroy();
  await expect.poll(() => closed).toBe(3);
});

test("refuses a path that is no URL, and serves on", async () => {
  const door = await openDoor(
    { at: { host: "127.0.0.1", port: 0 }, token: "the-token-of-the-test" },
    { pageHeaders: { sent: [], read: [] }, onRequest: (_, response) => response.end() },
  );
  onTestFinished(() => door.close(async () => undefined));
  const { port, host } = new URL(door.url);
  const socket = connect(Number(port), "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (bytes) => received.push(bytes));
  socket.write(`GET /\\[ HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await expect.poll(() => Buffer.concat(received).toString()).toMatch(/^HTTP\/1.1 401 /);
  expect((await fetch(`${door.url}/healthz`)).status).toBe(200);
});
