/** Records share only what they were given: the ledger, and the flush timer where the host gave them one. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { AppendOptions, Lease, SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { FlushTimer, SessionRecord } from "../src/record/index.js";
import type { RecordOptions } from "../src/record/index.js";

const chunk = (text: string): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId: "m",
  role: "agent",
  block: { type: "text", text },
});
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Counts appends by the turn of the event loop in which they come, and never ends one while `hangs`. */
class WatchedLedger extends MemoryLedger {
  hangs = false;
  turn = 0;
  readonly appendedIn: number[] = [];

  override async append(
    lease: Lease,
    events: readonly SessionEvent[],
    options: AppendOptions,
  ): Promise<number> {
    this.appendedIn.push(this.turn);
    setImmediate(() => (this.turn += 1));
    return this.hangs ? new Promise(() => undefined) : super.append(lease, events, options);
  }
}

async function opened(ledger: MemoryLedger, sessionId: string, options: Partial<RecordOptions> = {}) {
  const record = await SessionRecord.open(ledger, sessionId, { owner: sessionId, ...options });
  return { record, writer: record.writer() };
}

test("appends and sends text when another record's ledger hangs", async () => {
  const hanging = new WatchedLedger();
  const stuck = await opened(hanging, "stuck");
  const free = await opened(new WatchedLedger(), "free");
  onTestFinished(() => free.record.close());
  hanging.hangs = true;
  stuck.writer.add(chunk("One "));
  void stuck.record.append([chunk("more ")]);
  free.writer.add(chunk("One "));
  await expect.poll(() => free.record.writtenSeq).toBe(1);
  const sent: (readonly SessionEvent[])[] = [];
  free.record.onRecorded((events) => sent.push(events));
  free.writer.add(chunk("two "));
  expect(sent).toEqual([[chunk("two ")]]);
  await expect.poll(() => free.record.writtenSeq).toBe(2);
  expect({ stuck: stuck.record.seq, free: free.record.seq }).toEqual({ stuck: 0, free: 2 });
});

test("stores the text of both records in one turn when they share a flush timer", async () => {
  const ledger = new WatchedLedger();
  const flushTimer = new FlushTimer();
  const both = [await opened(ledger, "one", { flushTimer }), await opened(ledger, "other", { flushTimer })];
  const closed = await opened(ledger, "closed", { flushTimer });
  onTestFinished(async () => void (await Promise.all(both.map(({ record }) => record.close()))));
  for (const text of ["One ", "two "]) {
    for (const { writer } of [...both, closed]) writer.add(chunk(text));
    await nextTurn();
    await nextTurn();
  }
  await closed.record.close();
  ledger.appendedIn.length = 0;
  // Both are due at the next beat.
  const dueAt = performance.now() + 300;
  while (performance.now() < dueAt);
  await expect.poll(() => ledger.appendedIn.length).toBe(2);
  expect(new Set(ledger.appendedIn).size).toBe(1);
  expect(both.map(({ record }) => record.unwritten)).toEqual([undefined, undefined]);
});

test("has no mutable variable or collection outside of functions and classes", () => {
  const room = fileURLToPath(new URL("../src/record", import.meta.url));
  const files = readdirSync(room).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const shared = files.flatMap((name) =>
    readFileSync(`${room}/${name}`, "utf8")
      .split("\n")
      .filter((line) => /^(?:export )?(?:let|var|const \w+(?::.*)? = (?:new |\[|\{))/.test(line))
      .map((line) => `${name}: ${line}`),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(shared).toEqual([]);
});
