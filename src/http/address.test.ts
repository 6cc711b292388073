import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressOf, isOwnName } from "./address.js";

const names = new Set(["agent.example"]);

describe("the name a request calls the server by", () => {
  test.each([
    "localhost",
    "LOCALHOST:4321",
    "127.0.0.1:1",
    "127.8.9.10",
    "[::1]:4321",
    "agent.example",
    "agent.example:443",
  ])("%s is its own", (host) => {
    expect(isOwnName(host, names, "127.0.0.1")).toBe(true);
  });

  test.each([
    "",
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil.example#localhost",
    "evil.example@localhost",
    "localhost@evil.example",
    "localhost:4321:80",
    "localhost.",
    "127.1",
    "0x7f000001",
    "[::ffff:127.0.0.1]",
    "192.0.2.1",
    "0.0.0.0",
    "xagent.example",
  ])("%j is not, on this machine", (host) => {
    expect(isOwnName(host, names, "127.0.0.1")).toBe(false);
  });

  test("refuses every internet name, whatever it starts or ends with", () => {
    const parts = fc.tuple(fc.constantFrom("", "localhost.", "127.0.0.1.", "agent.example."), fc.domain());
    fc.assert(
      fc.property(parts, fc.nat(65_535), ([start, domain], port) => {
        fc.pre(`${start}${domain}` !== "agent.example");
        expect(isOwnName(`${start}${domain}:${port}`, names, "0.0.0.0")).toBe(false);
      }),
    );
  });

  test("accepts a bare address beyond this machine: no page can take it as its name", () => {
    expect(isOwnName("192.0.2.1:4321", names, "0.0.0.0")).toBe(true);
    expect(isOwnName("[2001:db8::1]:4321", names, "0.0.0.0")).toBe(true);
    expect(isOwnName("evil.example", names, "0.0.0.0")).toBe(false);
  });
});

describe("an address to listen on", () => {
  test.each(["127.0.0.1", "127.1.2.3", "localhost", "::1"])("%s needs no guard", async (host) => {
    await expect(addressOf({ host, port: 0 }, false)).resolves.toMatch(/^127\.|^::1$/);
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "::ffff:127.0.0.1"])("%s is refused without one", async (host) => {
    await expect(addressOf({ host, port: 0 }, false)).rejects.toMatchObject({ code: "NOT_GUARDED" });
    await expect(addressOf({ host, port: 0 }, true)).resolves.toBe(host);
  });
});
