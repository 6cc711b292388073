import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openDoor } from "./door.js";

test("every answer that was begun hears that its client hung up, those included that wait for another to end", async () => {
  let [begun, closed] = [0, 0];
  const door = await openDoor(
    { at: { host: "127.0.0.1", port: 0 }, token: "the-token-of-the-test" },
    {
      pageHeaders: { sent: [], read: [] },
      onRequest: (_, response) => {
        begun += 1;
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
  await expect.poll(() => begun).toBe(3);
  socket.destroy();
  await expect.poll(() => closed).toBe(3);
});
