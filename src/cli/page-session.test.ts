import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPage } from "./page-session.js";

/** The address of a server that refuses every request with this status. */
async function refusing(status: number): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // The server listens on a port, so the address is no text.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

describe("findPage", () => {
  test.each([401, 404, 405])("finds no page when the server answers %i", async (status) => {
    expect(await findPage(await refusing(status), "token")).toBeUndefined();
  });

  test.each([429, 502, 503, 504])("throws when the server answers %i for now", async (status) => {
    await expect(findPage(await refusing(status), "token")).rejects.toMatchObject({ status });
  });
});
