/** Secrets in coloured output: found whatever escape sequences stand in, before or after them; other colours stay. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "./redact.js";
import { RedactedEvents } from "./redacted-events.js";
import { StreamRedactor } from "./stream-redactor.js";

// Put together here, so that no scanner takes this file for a leak.
const long = (length: number) => "a1B2c3D4e5F6g7H8".repeat(8).slice(0, length);
const TOKEN = `ghp_${long(36)}`;
const SECRETS = [TOKEN, `sk-${long(48)}`, `AKIA${"ABCD2345".repeat(2)}`, `xoxb-1234567890-${long(24)}`];
const ESCAPES = [
  "\u001b[0m",
  "\u001b[01;31m\u001b[K",
  "\u001b[38;2;1;2;3m",
  "\u001b[m",
  "\u001b]8;;https://example.org\u0007",
  "\u001b]0;a title\u001b\\",
  "\u001bPq\u001b\\",
  "\u009b1m",
  "\u001b(B",
  "\u001b[1\u0018",
  "\u001b[3;4\u001a",
  "\u0000",
  "x\u0008",
  "xyz\u0008\u0008\u0008",
  "\u200b",
  "\u2060\ufeff",
  "\u00ad",
  String.raw`\u001b[1m`,
  String.raw`\x1b[0m`,
  String.raw`\u200b`,
];
const SEQUENCE = new RegExp(
  String.raw`\u001b\[[0-?]*[ -/]*[@-~\u0018\u001a]|\u009b[0-?]*[@-~]|\u001b[\]P][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\(B|(?:[^\u0008]{3}\u0008{3}|[^\u0008]\u0008)|[\u0000\u0007\u200b\u2060\ufeff\u00ad]|\\(?:u001b|x1b)\[\d?m|\\u200b`,
  "gu",
);
const plain = (text: string) => text.replaceAll(SEQUENCE, "");

describe("a secret in coloured text", () => {
  test.each([
    ["as grep colours it", `a:\u001b[01;31m\u001b[Kghp_\u001b[m\u001b[K${long(36)}\n`],
    ["split by a sequence that is cancelled", `a: ghp_${long(12)}\u001b[1\u0018${long(24)} b`],
    ["split by another one", `a: ghp_${long(12)}\u001b[1;31\u001a${long(24)} b`],
    ["split by a sequence that the next one ends", `a: ghp_${long(12)}\u001b[1\u001b[0m${long(24)} b`],
    ["split by a title that is cancelled", `a: ghp_${long(12)}\u001b]0;x\u0018${long(24)} b`],
    ["split by a short one that is cancelled", `a: ghp_${long(12)}\u001b(\u001a${long(24)} b`],
    ["split in the middle", `a: sk-ab\u001b[0mcd${long(30)} b`],
    ["coloured as a whole", `a: \u001b[31m${TOKEN}\u001b[0m b`],
    ["right behind a word", `a\u001b[31m${TOKEN}\u001b[0m`],
    ["in a link", `\u001b]8;;https://example.org/?q=${TOKEN}\u0007here\u001b]8;;\u0007`],
    ["after a coloured name", `\u001b[1mpassword\u001b[0m: \u001b[32mhunter2\u001b[0m`],
    ["in the name", `pass\u001b[1mword=hunter2`],
    ["in an address", `postgres://ann:\u001b[1mhunter2\u001b[0m@db.example`],
    ["in a title that does not end", `\u001b]0;${TOKEN}`],
    ["in the bold text of a manual page", `a: ${TOKEN.replaceAll(/./g, "$&\u0008$&")} b`],
    ["underlined in the same way", `a: ${TOKEN.replaceAll(/./g, "_\u0008$&")} b`],
    ["by a return to the start of the line", `a: sk-ab\rcd${long(30)} b`],
    ["by characters of no width", `a: sk-ab\u200bcd\u2060${long(10)}\ufeff${long(20)} b`],
    ["by a colour that JSON escapes", String.raw`{"t":"sk-ab\u001b[0mcd${long(30)}"}`],
    ["by a colour that JSON escapes twice", String.raw`"{\"t\":\"sk-ab\\u001b[0mcd${long(30)}\"}"`],
    ["by a colour as a shell writes it", String.raw`printf 'sk-ab\033[0mcd${long(10)}\x1b[1m${long(20)}'`],
    ["by a written character of no width", String.raw`{"t":"sk-ab\u200bcd${long(30)}"}`],
    ["by bytes that show nothing", `sk-ab\u0000cd\u0007${long(30)}`],
  ])("is taken out: %s", (_, text) => {
    const shown = redact(text);
    expect(shown).toContain("[redacted ");
    expect(plain(shown)).not.toMatch(/a1B2c3D4|hunter2/);
    expect(redact(shown)).toBe(shown);
  });

  test("leaves the colours of everything else, and the state that it would have left", () => {
    const green = "\u001b[32mok\u001b[0m fine\n";
    expect(redact(`${green}x \u001b[31m${TOKEN}\u001b[0m y\n${green}`)).toBe(
      `${green}x \u001b[31m[redacted token]\u001b[0m y\n${green}`,
    );
    expect(redact(`${green}ghp_\u001b[31m${long(36)} red\u001b[0m\n`)).toBe(
      `${green}[redacted token]\u001b[31m red\u001b[0m\n`,
    );
    const key = `\u001b[1m-----BEGIN PRIVATE KEY-----\u001b[0m\n${long(64)}\n-----END PRIVATE KEY-----\n`;
    expect(plain(redact(`${green}${key}${green}`))).toBe("ok fine\n[redacted private key]\nok fine\n");
  });

  test("leaves text without a secret as it is, to the byte", () => {
    const words = fc.constantFrom("ls -l", "total 0", " ", "\n", "src/a.ts", "warning: ", "😀", "\r", "\t");
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.constantFrom(...ESCAPES)), { maxLength: 20 }), (parts) => {
        expect(redact(parts.join(""))).toBe(parts.join(""));
      }),
    );
  });
});

/** A secret with escape sequences between its characters. */
const split = fc
  .tuple(
    fc.constantFrom(...SECRETS),
    fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...ESCAPES)), { maxLength: 4 }),
  )
  .map(([secret, cuts]) => ({
    secret,
    text: cuts.reduce((text, [at, escape]) => {
      const place = Math.min(at, text.length);
      // Not inside of another sequence.
      return /^[\w-]*$/.test(text.slice(0, place)) ? text.slice(0, place) + escape + text.slice(place) : text;
    }, secret),
  }));
const around = fc.constantFrom("", "a b\n", "\u001b[32mx\u001b[0m ", "key: ", "(", "\n", "😀 ");

test("never gets through, wherever it is split, in a text or a stream, and twice is as once", () => {
  fc.assert(
    fc.property(
      around,
      split,
      around,
      fc.array(fc.nat(40), { maxLength: 6 }),
      (before, one, after, sizes) => {
        const text = `${before}${one.text} ${after}`;
        const whole = redact(text);
        expect(plain(whole)).not.toContain(one.secret);
        expect(redact(whole)).toBe(whole);
        const stream = new StreamRedactor([]);
        let [shown, rest] = ["", text];
        for (const size of sizes) {
          shown += stream.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        shown += stream.push(rest) + stream.flush();
        expect(plain(shown)).not.toContain(one.secret);
        expect(shown).toBe(whole);
      },
    ),
  );
});

test("does not reach a client in pieces of a command's coloured output", () => {
  const events = new RedactedEvents();
  const pieces = ["x \u001b[31mgh", "p_\u001b", "[0m", long(20), `${long(16)}\u001b[`, "m y\n"];
  const shown = [
    ...events.redacted(
      pieces.map((text) => ({ type: "terminal-output", toolCallId: "c", at: 1, terminalId: "t", text })),
    ),
    ...events.rest(),
  ]
    .map((event) => ("text" in event ? event.text : ""))
    .join("");
  expect(shown).toBe("x \u001b[31m[redacted token]\u001b[0m\u001b[m y\n");
});

test("reads a megabyte of hostile sequences in linear time", () => {
  for (const unit of [
    "\u001b",
    "\u001b[",
    "\u001b[0",
    "\u001b]",
    "\u001b]a",
    "\u001bP",
    "\u001b[0mgh",
    "\u009b",
    "\u0000sk-",
    "a\u0008",
    "\u0008",
    "\u200bsk-",
    "a\r",
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const start = process.cpuUsage();
    redact(text);
    expect(process.cpuUsage(start).user / 1000, JSON.stringify(unit)).toBeLessThan(10_000);
  }
});
