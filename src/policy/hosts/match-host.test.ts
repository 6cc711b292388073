import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readHostPattern } from "./host-pattern.js";
import { matchHost, touchesHost } from "./match-host.js";
import { readUrl } from "./read-url.js";

const allows = (pattern: string, text: string) => {
  const url = readUrl(text);
  return url !== undefined && matchHost(pattern, url);
};
const denies = (pattern: string, text: string) => {
  const url = readUrl(text);
  return url === undefined || touchesHost(pattern, url);
};

describe("a rule that allows", () => {
  test.each<[string, string]>([
    ["allowed.example", "https://allowed.example/x"],
    ["allowed.example", "HTTPS://ALLOWED.EXAMPLE:443/x"],
    ["Allowed.Example", "https://allowed.example"],
    ["*.allowed.example", "https://a.b.allowed.example/"],
    ["https://allowed.example", "https://allowed.example/"],
    ["http://allowed.example", "http://allowed.example/"],
    ["https://allowed.example:8443", "https://allowed.example:8443/"],
    ["allowed.example:443", "https://allowed.example/"],
    ["http://*.allowed.example:81", "http://a.allowed.example:81/"],
    ["*", "https://any.example/"],
    ["*:8443", "https://any.example:8443/"],
    ["localhost:3000", "http://localhost:3000/"],
    ["localhost", "http://localhost/"],
    ["127.0.0.1:3000", "http://127.0.0.1:3000/"],
    ["[::1]:3000", "http://[::1]:3000/"],
    ["http://10.0.0.5", "http://10.0.0.5/"],
    ["http://169.254.169.254", "http://169.254.169.254/"],
    ["xn--bcher-kva.example", "https://xn--bcher-kva.example/"],
  ])("%s lets %s through", (pattern, text) => {
    expect(allows(pattern, text)).toBe(true);
  });

  test.each<[string, string]>([
    ["allowed.example", "https://evilallowed.example/"],
    ["*.allowed.example", "https://evilallowed.example/"],
    ["*.allowed.example", "https://allowed.example/"],
    ["*.allowed.example", "https://.allowed.example/"],
    ["allowed.example", "https://a.allowed.example/"],
    ["allowed.example", "https://allowed.example.evil.test/"],
    ["allowed.example", "https://allowed.example@evil.test/"],
    ["allowed.example", "https://me@allowed.example/"],
    ["allowed.example", "https://evil.test/#.allowed.example"],
    ["allowed.example", "https://evil.test\\.allowed.example/"],
    ["allowed.example", "https://evil.test%00.allowed.example/"],
    ["allowed.example", "https://аllowed.example/"],
    ["allowed.example", "http://allowed.example/"],
    ["allowed.example", "wss://allowed.example/"],
    ["allowed.example", "allowed.example/x"],
    ["allowed.example", "https://allowed.example./"],
    ["allowed.example", "https://allowed.example:8443/"],
    ["allowed.example:8443", "https://allowed.example/"],
    ["http://allowed.example", "allowed.example/x"],
    ["*", "http://any.example/"],
    ["*", "https://localhost/"],
    ["http://*", "http://169.254.169.254/"],
    ["*", "https://10.0.0.5/"],
    ["*", "https://xn--bcher-kva.example/"],
    ["*.internal", "https://db.internal/"],
    ["localhost:3000", "http://localhost:3001/"],
    ["127.0.0.1", "http://2130706433/"],
    ["http://127.0.0.1", "http://[::ffff:127.0.0.1]/"],
    ["*", "file:///etc/passwd"],
    ["*.1", "https://10.0.0.1/"],
    // No patterns.
    ["", "https://allowed.example/"],
    ["allowed.example/x", "https://allowed.example/x"],
    ["*allowed.example", "https://evilallowed.example/"],
    ["allowed.*", "https://allowed.example/"],
    ["a*d.example", "https://allowed.example/"],
    ["me@allowed.example", "https://me@allowed.example/"],
    ["*.", "https://allowed.example/"],
    ["0x7f.1", "http://127.0.0.1/"],
    ["bücher.example", "https://bücher.example/"],
  ])("%s does not let %s through", (pattern, text) => {
    expect(allows(pattern, text)).toBe(false);
  });
});

describe("a rule that denies", () => {
  test.each<[string, string]>([
    ["evil.test", "https://evil.test/"],
    ["evil.test", "http://evil.test:8080/"],
    ["evil.test", "https://good.example@EVIL.test./"],
    ["evil.test", "evil.test/x"],
    ["evil.test", "me:pw@evil.test/x"],
    ["evil.test", "ftp://evil.test/"],
    ["*.evil.test", "http://a.evil.test./"],
    ["127.0.0.1", "http://[::ffff:7f00:1]/"],
    ["127.0.0.1", "http://0x7f.1:9000/"],
    ["evil.test:443", "https://evil.test/"],
    ["*", "file:///etc/passwd"],
    ["*", "http://anything/"],
    ["https://evil.test:8443", "evil.test/x"],
    // An unreadable path or host is refused.
    ["evil.test/x", "https://good.example/"],
    ["*.10.0.0.1", "https://good.example/"],
    ["evil.test", "https://a b/"],
  ])("%s stops %s", (pattern, text) => {
    expect(denies(pattern, text)).toBe(true);
  });

  test.each<[string, string]>([
    ["evil.test", "https://notevil.test/"],
    ["evil.test", "https://evil.test.example/"],
    ["*.evil.test", "https://evil.test/"],
    ["http://evil.test", "https://evil.test/"],
    ["evil.test:8080", "https://evil.test/"],
  ])("%s does not stop %s", (pattern, text) => {
    expect(denies(pattern, text)).toBe(false);
  });
});

// The platform's own parser is the judge.
const PIECES = [
  "https://",
  "http://",
  "HTTPS:",
  "//",
  "/",
  "\\",
  "@",
  ":",
  "443",
  "8443",
  "#",
  "?",
  ".",
  "..",
  "%2e",
  "%00",
  "allowed",
  "example",
  "allowed.example",
  "evil",
  "evil.test",
  "a",
  "xn--a",
  "аllowed",
  "。",
  "\t",
  "\n",
  " ",
  "*",
  "127.0.0.1",
  "0x7f.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "localhost",
];
const piece = fc.constantFrom(...PIECES);
const address = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 8 }).map((pieces) => `https://${pieces.join("")}`),
  // Near enough to the allowed host that every run meets addresses that are allowed.
  fc
    .tuple(fc.constantFrom("", "a.", "evil."), fc.array(piece, { maxLength: 2 }))
    .map(([before, after]) => `https://${before}allowed.example${after.join("")}`),
  fc.webUrl(),
);

test("matches the pattern's host and its subdomains, over its scheme and port", () => {
  let allowed = 0;
  fc.assert(
    fc.property(fc.constantFrom("allowed.example", "*.allowed.example"), address, (pattern, text) => {
      if (!allows(pattern, text)) return;
      allowed += 1;
      const judge = new URL(text);
      expect([judge.protocol, judge.port, judge.username, judge.password]).toEqual(["https:", "", "", ""]);
      if (pattern === "allowed.example") expect(judge.hostname).toBe("allowed.example");
      else expect(judge.hostname).toMatch(/^[^.]+(?:\.[^.]+)*\.allowed\.example$/);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
  expect(allowed, "cases that were allowed").toBeGreaterThan(0);
});

test("any pattern that allows an address would also deny it", () => {
  const pattern = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.oneof(pattern, fc.constantFrom("*", "*.example")), address, (wanted, text) => {
      if (!allows(wanted, text)) return;
      expect(denies(wanted, text)).toBe(true);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

test("matches long texts in linear time", () => {
  expect(allows("*", `https://${".".repeat(200_000)}a/`)).toBe(false);
  expect(denies("evil.test", `https://${".".repeat(200_000)}a/`)).toBe(false);
  expect(readHostPattern(`${"a.".repeat(50_000)}:`)).toBeUndefined();
  expect(readHostPattern(":1".repeat(50_000))).toBeUndefined();
});
