import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openDoor } from "./open-door.js";
import type { BehindDoor } from "./open-door.js";

const TOKEN = "the-token-of-the-test";

async function connected(behind: Omit<BehindDoor, "pageHeaders">) {
  const door = await openDoor(
    { at: { host: "127.0.0.1", port: 0 }, token: TOKEN },
    { pageHeaders: { sent: [], read: [] }, ...behind },
  );
  onTestFinished(() => door.close(async () => undefined));
  const { port, host } = new URL(door.url);
  const socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, head: `host: ${host}\r\nauthorization: Bearer ${TOKEN}\r\n` };
}

const LETTERS = "0123456789abcdef".repeat(4_000);

test("hands on a body and the request behind it that came with the head in one piece", async () => {
  const bodies: string[] = [];
  const { socket, head } = await connected({
    onRequest: (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        bodies.push(body);
        response.end("x".repeat(200_000));
      });
    },
  });
  const post = `POST /x HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${LETTERS.length}\r\n\r\n`;
  socket.write(`${post}${LETTERS}${post}${LETTERS}${post}${LETTERS}`);
  let bytes = 0;
  socket.on("data", (data) => (bytes += data.length));
  await expect.poll(() => bytes).toBeGreaterThan(600_000);
  expect(bodies).toEqual([LETTERS, LETTERS, LETTERS]);
});

test("hands on what came in one piece with an upgrade, in its order", async () => {
  let received = "";
  const { socket, head } = await connected({
    onRequest: (_, response) => response.end(),
    onUpgrade: (_request, stream, first) => {
      // As a library of web sockets does it.
      (stream as Socket).unshift(first);
      stream.on("data", (bytes: Buffer) => (received += bytes.toString()));
      stream.on("end", () => stream.end());
    },
  });
  socket.write(`GET /x HTTP/1.1\r\n${head}connection: upgrade\r\nupgrade: other\r\n\r\n${LETTERS}`);
  await expect.poll(() => received.length).toBe(LETTERS.length);
  socket.write("more");
  await expect.poll(() => received).toBe(`${LETTERS}more`);
});
