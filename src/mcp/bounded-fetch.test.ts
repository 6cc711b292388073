import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { boundedFetch } from "./bounded-fetch.js";

const MEGABYTE = 1024 * 1024;

/** The address of a server that answers with these parts, of this type. */
async function answering(type: string, parts: readonly string[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": type });
    for (const part of parts) response.write(part);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("passes a response on unchanged when it fits", async () => {
  const url = await answering("application/json", [`{"a":`, "1}"]);
  const response = await boundedFetch(url);
  expect(response).toMatchObject({ status: 200, url });
  expect(await response.json()).toEqual({ a: 1 });
});

test("aborts a body that is too large", async () => {
  const url = await answering("application/json", Array(17).fill("x".repeat(MEGABYTE)));
  await expect((await boundedFetch(url)).text()).rejects.toThrow("too large");
});

test("allows a stream of any length, and aborts one whose event is too large", async () => {
  const event = `data: ${"x".repeat(MEGABYTE)}\r\n\r\n`;
  const long = await boundedFetch(await answering("text/event-stream", Array(20).fill(event)));
  expect(await long.text()).toHaveLength(20 * event.length);
  const line = `data: ${"x".repeat(MEGABYTE)}\n`;
  const large = await boundedFetch(await answering("text/event-stream", Array(17).fill(line)));
  await expect(large.text()).rejects.toThrow("too large");
});
