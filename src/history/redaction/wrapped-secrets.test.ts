import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "./redact.js";
import { StreamRedactor } from "./stream-redactor.js";
import { wrappedAt } from "./wrapped-secrets.js";

// Put together here, so that no scanner takes this file for a leak.
const long = (length: number) => "a1B2c3D4e5F6g7H8".repeat(30).slice(0, length);
const SECRETS: readonly (readonly [string, string])[] = [
  ["a GitHub token", `ghp_${long(36)}`],
  ["a fine-grained GitHub token", `github_pat_${long(22)}_${long(59)}`],
  ["a GitLab token", `glpat-${long(20)}`],
  ["an npm token", `npm_${long(36)}`],
  ["a Hugging Face token", `hf_${long(34)}`],
  ["an Anthropic key", `sk-ant-api03-${long(93)}AA`],
  ["a Google key", `AIza${long(35)}`],
  ["a SendGrid key", `SG.${long(22)}.${long(43)}`],
  ["an AWS key id", `AKIA${"ABCD2345".repeat(2)}`],
  ["a JSON web token", `eyJ${long(33)}.eyJ${long(140)}.${long(43)}`],
];
const folded = (text: string, width: number, end = "\n") =>
  text.match(new RegExp(`.{1,${width}}`, "gu"))?.join(end) ?? "";

describe.each(SECRETS)("%s", (_, secret) => {
  test.each(["\n", "\r\n", "\\\n", "=\r\n"])("is taken out wherever %j splits it", (end) => {
    for (let at = 1; at < secret.length; at += 1) {
      const text = `see ${secret.slice(0, at)}${end}${secret.slice(at)} and\nmore`;
      expect(redact(text), text).toMatch(/^see \[redacted [a-z ]+\] and\nmore$/);
    }
  });

  test("is taken out of folded text at every width, also when it comes in pieces", () => {
    for (const width of [8, 20, 40, 80]) {
      const text = folded(
        `The answer of the server, with its token: ${secret} and more words after it`,
        width,
      );
      const stream = new StreamRedactor([]);
      const streamed = text.split(/(?<=\n)/).map((line) => stream.push(line));
      for (const shown of [redact(text), [...streamed, stream.flush()].join("")]) {
        expect(shown).toContain("[redacted ");
        expect(shown.replaceAll("\n", "")).not.toContain(secret.slice(8, 16));
      }
    }
  });

  test("takes nothing from the next line when it is whole", () => {
    expect(redact(`a ${secret}\nnext\nlines`)).toMatch(/^a \[redacted [a-z ]+\]\nnext\nlines$/);
  });
});

test("text that only begins like a token stays, with its lines", () => {
  for (const text of [
    "npm_\nconfig_cache=/x\n",
    "AKIA\nand others\n",
    "the beginning is ghp_\nthen 36 letters or digits follow\n",
    "gh\npr\nlist\n",
    "hf_\nhub\n",
    "SG.\nNext line.\n",
    "e\ny\nJ\n",
  ])
    expect(redact(text)).toBe(text);
});

test.each(SECRETS)("a stream does not wait behind the whole of %s", (_name, secret) => {
  expect(new StreamRedactor([]).push(`use ${secret}\n`)).toMatch(/^use \[redacted [a-z ]+\]\n$/);
});

test("a stream waits for the next line only behind the beginning of a token", () => {
  expect(wrappedAt("a line\n")).toBe(-1);
  expect(wrappedAt("running\nlisting\n")).toBe(-1);
  expect(wrappedAt("use ghp_\n")).toBe(4);
  const stream = new StreamRedactor([]);
  expect(stream.push("use ghp_\n")).toBe("use ");
  expect(stream.push("as the beginning\n")).toBe("ghp_\nas the beginning\n");
});

test("the time is linear for lines that all begin like a token", () => {
  for (const line of ["ghp_a\n", "eyJhhhhhhhh\n", "eyJhhhhhhhh.eyJ\n", "sk-ant-api03-\n", "e\n", "SG.a\n"]) {
    const before = process.cpuUsage();
    redact(line.repeat(40_000));
    const stream = new StreamRedactor([]);
    for (let count = 0; count < 400; count += 1) stream.push(line);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, line).toBeLessThan(2_000);
  }
});

test("a second pass changes nothing", () => {
  const secret = fc.constantFrom(...SECRETS.map(([, text]) => text));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(secret, fc.constantFrom("\n", " ", "a", "ghp_", "eyJ"))),
      fc.integer({ min: 4, max: 90 }),
      (parts, width) => {
        const once = redact(folded(parts.join(""), width));
        expect(redact(once)).toBe(once);
      },
    ),
  );
});
