import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { webhook } from "./webhook.js";

test("sends a notice again by the same id, so that its receiver can drop the second", async () => {
  const ids: unknown[] = [];
  const server = createServer((request, response) => {
    ids.push(request.headers["webhook-id"]);
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // The server listens on a port.
  const { port } = server.address() as AddressInfo;
  const { send } = webhook({ url: `http://127.0.0.1:${port}/hook`, secret: "a secret of the receiver" });
  const notice = { questionId: "a", title: "Run it", url: "https://desk.example/q/a" };
  for (const one of [notice, notice, { ...notice }]) await expect(send(one)).rejects.toThrow("503");
  expect(ids[0]).toMatch(/^msg_/);
  expect(ids[1]).toBe(ids[0]);
  // The same question in another notice is another message.
  expect(ids[2]).not.toBe(ids[0]);
});
