import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ledger, SessionEvent } from "../../call/index.js";
import { forwardLedger } from "../../call/forward-ledger.js";
import { SessionBook } from "../../call/index.js";
import { aRun, NOON, said } from "../history.samples.js";
import { MemoryLedger } from "../memory/memory-ledger.js";
import { redact } from "./redact.js";
import { redactEvent, redactSession } from "./redact-event.js";
import { redactingLedger } from "./redacting-ledger.js";
import { redactionPattern } from "./redaction-pattern.js";

const SECRET = `ghp_${"a1B2c3D4".repeat(5)}`;
const claim = { milliseconds: 60_000 };

describe("redacted events", () => {
  test("redacts secrets in every text of an event, and keeps all its ids", () => {
    const event: SessionEvent = {
      type: "question-asked",
      toolCallId: SECRET,
      at: NOON,
      question: {
        questionId: "sk-this-is-an-id-and-stays-as-it-is",
        sessionId: "s1",
        toolCallId: SECRET,
        intentHash: "eyJhbGciOiJIUzI1NiJ9.eyJhbGciOiJIUzI1NiJ9.x",
        title: `Run curl ${SECRET}`,
        about: [`curl -H "X: ${SECRET}"`],
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        askedAt: NOON,
      },
    };
    const redacted = redactEvent(event);
    expect(redacted).toEqual({
      ...event,
      question: {
        ...event.question,
        title: "Run curl [redacted token]",
        about: ['curl -H "X: [redacted token]"'],
      },
    });
  });

  test("redacts the fields of a tool's own input that have the names of ids", () => {
    const rawInput = { kind: SECRET, data: SECRET, password: "x", nested: { type: SECRET } };
    const redacted = redactEvent({ type: "input-ready", toolCallId: "c1", at: NOON, rawInput });
    expect(JSON.stringify(redacted)).not.toContain(SECRET);
    expect(redacted).toMatchObject({ rawInput: { password: "[redacted secret]" } });
  });

  test("drops what a provider signed from a redacted step, and keeps the signed hash of an answer", () => {
    const answer = {
      model: "m",
      parts: [{ type: "text" as const, length: 3, providerOptions: { a: { s: "x" } } }],
    };
    const step = { turnId: "t", stepId: "s", toolCallIds: ["c1"], usage: { inputTokens: 1 } };
    const ended: SessionEvent = { type: "step-ended", at: NOON, ...step, answer };
    expect(redactEvent(ended)).toEqual({ type: "step-ended", at: NOON, ...step });
    const book = new SessionBook("s1", [{ type: "turn-started", at: NOON, turnId: "t" }, ended]);
    expect(redactSession(book.snapshot()).steps).toEqual([step]);
    const answered: SessionEvent = {
      type: "question-answered",
      at: NOON,
      questionId: "q",
      answer: { outcome: { type: "refused" }, intentHash: "h", by: "person", at: NOON },
    };
    expect(redactEvent(answered)).toEqual(answered);
  });

  test("keeps an image of a redacted event as it is", () => {
    const event: SessionEvent = {
      type: "message-chunk",
      at: NOON,
      messageId: "m",
      role: "user",
      block: { type: "image", data: `${SECRET}==`, mimeType: "image/png" },
    };
    expect(redactEvent(event)).toEqual(event);
  });
});

describe("redacting ledger", () => {
  const kept = async (events: readonly SessionEvent[], patterns: readonly string[] = []) => {
    const memory = new MemoryLedger();
    const ledger = redactingLedger(memory, { patterns: patterns.map(redactionPattern) });
    const lease = await ledger.claim("s1", "ann", claim);
    for (const event of events) await ledger.append(lease, [event], { durable: true });
    await ledger.release(lease);
    const log = (await memory.read("s1")).map(({ event }) => event);
    // The redacted log must still fold.
    const book = new SessionBook("s1", log);
    return { text: JSON.stringify(log), book, memory, ledger };
  };

  test("stores no secret, however it came, and a log that folds to the redacted session", async () => {
    const events = [
      said(`use ${SECRET.slice(0, 9)}`, { messageId: "m" }),
      said(`${SECRET.slice(9)} now`, { messageId: "m" }),
      ...aRun("c1", { rawInput: { command: `x ${SECRET}` }, output: `a ${SECRET}\nb` }),
    ];
    const { text, book } = await kept(events);
    expect(text).not.toContain(SECRET.slice(9));
    expect(book.snapshot()).toEqual(redactSession(new SessionBook("s1", events).snapshot()));
  });

  test("stores an input as a whole and not in pieces, which may be pieces of a secret", async () => {
    const [announced, ready] = aRun("c1", { rawInput: { token: "hunter2" } });
    const delta = (text: string): SessionEvent => ({ type: "input-delta", toolCallId: "c1", at: NOON, text });
    const { text, book } = await kept([announced!, delta('{"token":"hun'), delta('ter2"}'), ready!]);
    expect(text).not.toMatch(/hun|ter2/);
    expect(book.call("c1")).toMatchObject({ rawInput: { token: "[redacted secret]" } });
  });

  test("stores a text that was cut anywhere as it would be stored whole", async () => {
    const texts = [
      `say ${SECRET} and\nAPI_KEY="a long one" end`,
      `-----BEGIN PRIVATE KEY-----\n${"abcd".repeat(20)}\n-----END PRIVATE KEY-----\nafter`,
      "Authorization: Bearer abc.def.123 tail",
      "plain words that go on and on",
      "a Zephyr-17 b",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(fc.nat(130), { maxLength: 6 }),
        async (text, cuts) => {
          const at = [...new Set([0, ...cuts.filter((cut) => cut < text.length)])].toSorted((a, b) => a - b);
          const events = at.map((start, index) => said(text.slice(start, at[index + 1]), { messageId: "m" }));
          const { book } = await kept(events, [String.raw`Zephyr-\d+`]);
          const [entry] = book.snapshot().timeline;
          const whole = redact(text, [redactionPattern(String.raw`Zephyr-\d+`)]);
          expect(entry).toMatchObject({ message: { blocks: [{ text: whole }] } });
        },
      ),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
    );
  });

  test("keeps the text of two terminals apart when they print by turns", async () => {
    const print = (toolCallId: string, text: string): SessionEvent => ({
      type: "terminal-output",
      toolCallId,
      at: NOON,
      terminalId: "t",
      text,
    });
    const start = (id: string) => aRun(id).slice(0, 5);
    const { text } = await kept([
      ...start("c1"),
      ...start("c2"),
      print("c1", `A ${SECRET.slice(0, 10)}`),
      print("c2", `B ${SECRET.slice(0, 20)}`),
      print("c1", `${SECRET.slice(10)}\n`),
      print("c2", `${SECRET.slice(20)}\n`),
      ...["c1", "c2"].map((toolCallId): SessionEvent => ({ type: "call-done", toolCallId, at: NOON })),
    ]);
    expect(text).not.toContain("a1B2");
    expect(text).toContain("A [redacted token]");
    expect(text).toContain("B [redacted token]");
  });

  test("drops buffered text of an append that was not stored", async () => {
    const memory = new MemoryLedger();
    const ledger = redactingLedger(memory);
    const lease = await ledger.claim("s1", "ann", claim);
    await ledger.append(lease, [said("the token is ", { messageId: "m" })], { durable: true });
    const lost = { ...lease, fence: -1 };
    await expect(
      ledger.append(lost, [said("never said ", { messageId: "m" })], { durable: true }),
    ).rejects.toThrow(/has lost the lease/);
    await ledger.append(lease, [said("short.\n", { messageId: "m" })], { durable: true });
    await ledger.release(lease);
    const [entry] = new SessionBook(
      "s1",
      (await memory.read("s1")).map(({ event }) => event),
    ).snapshot().timeline;
    expect(JSON.stringify(entry)).not.toContain("never said");
    expect(JSON.stringify(entry)).toContain("the token is");
  });

  test("stores no files, and refuses an answer whose input it could not store as it is", async () => {
    const { ledger, memory } = await kept([]);
    const hash = await ledger.putBlob(Buffer.from(SECRET));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([await ledger.getBlob(hash), await memory.getBlob(hash)]).toEqual([undefined, undefined]);
    const answer = {
      outcome: { type: "selected", optionId: "yes" },
      intentHash: "h",
      by: "person",
      at: 0,
    } as const;
    await expect(ledger.answer("q1", { ...answer, input: { command: SECRET } })).rejects.toThrow(
      /has a secret in it, and this ledger keeps none\. Nothing was recorded/,
    );
  });
});

test("stores at once when the writer waits, and offers no snapshots but all else that the ledger does", async () => {
  const plain = new MemoryLedger();
  const atOnce: unknown[] = [];
  const append: Ledger["append"] = (lease, events, options) => {
    atOnce.push(options.atOnce);
    return plain.append(lease, events, options);
  };
  const ledger = redactingLedger({ ...forwardLedger(plain), append });
  const lease = await ledger.claim("s1", "me", claim);
  await ledger.append(lease, [said("hello")], { durable: true, atOnce: true });
  expect(atOnce).toEqual([true]);
  const names = Object.keys(ledger);
  expect(names).toEqual(expect.arrayContaining(["watch", "holder", "has", "follow"]));
  expect(names.filter((name) => /snapshot/i.test(name))).toEqual([]);
});
