/**
 * How much a store can hold: a million recorded events and a million calls in the index in
 * the long mode, since its search takes most of a minute to build, and a third and a tenth of that else. All are put there
 * by SQL: to record them would take most of an hour. The promised times are checked with a margin.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionEvent } from "../src/call/index.js";
import { openArchive, openLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";

const isLong = process.env["TOOLGATE_LONG"] !== undefined;
const EVENTS = isLong ? 1_000_000 : 300_000;
const CALLS = isLong ? 1_000_000 : 100_000;
const IN_A_SESSION = 100;
const SESSIONS = EVENTS / IN_A_SESSION;
const NOW = 1_700_000_000_000;
const MAX_PAGE_MS = 50 * 10;
const MAX_SEARCH_MS = 200 * 10;
const MAX_START_MS = 1_000 * 10;

const folder = mkdtempSync(join(tmpdir(), "toolgate-million-"));
const file = join(folder, "ledger.db");
afterAll(() => rmSync(folder, { recursive: true }));

const counted = (count: number): string =>
  `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${count})`;

function exec(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`pragma synchronous = off; begin; ${sql}; commit`);
  database.close();
}

/** The slowest of a hundred but one, in milliseconds of CPU time. */
async function slowest(count: number, run: (number: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const start = process.cpuUsage();
    await run(number);
    times.push(process.cpuUsage(start).user / 1000);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(count * 0.99) - 1] ?? Infinity;
}

describe(`a store of ${EVENTS} events with ${CALLS} calls in its index`, () => {
  beforeAll(async () => {
    await (await openLedger(file)).close();
    const first = await openArchive(file);
    await first.refresh();
    await first.close();
    const session = `'session-' || n, ${NOW} + n, ${NOW} + n * 7, ${IN_A_SESSION}`;
    exec(
      file,
      `${counted(SESSIONS)} insert into sessions (number, session_id, created_at, updated_at, last_seq)
         select n, ${session} from counted;
       ${counted(EVENTS)} insert into events (session, seq, event)
         select (n - 1) / ${IN_A_SESSION} + 1, (n - 1) % ${IN_A_SESSION} + 1,
           '{"type":"mode-changed","at":1,"modeId":"mode-' || n || '"}' from counted`,
    );
    exec(
      `${file}.index`,
      `${counted(SESSIONS)} insert into sessions
         (number, session_id, created_at, updated_at, last_seq, cwd, calls, messages)
         select n, ${session}, '/home/user/project-' || (n % 50), ${IN_A_SESSION}, 0 from counted;
       ${counted(CALLS)} insert into calls
         (id, session, tool_call_id, name, kind, title, status, day, decided_by, rule, ran_ms, output_size, is_part)
         select (${NOW} + n * 10) * 1024, n % ${SESSIONS} + 1, 'call-' || n, 'tool_' || (n % 20), 'execute',
           'Run ' || n, 'done', '2023-11-14', 'rule', 'rule-' || (n % 7), n % 1000, 10, 0 from counted;
       drop trigger document_added;
       ${counted(CALLS)} insert into documents (id, session, tags, text)
         select (${NOW} + n * 10) * 1024, n % ${SESSIONS} + 1, 'kindx',
           'npm test word' || (n % 97) || ' passed, number n' || n from counted;
       insert into search (search) values ('rebuild')`,
    );
  }, 300_000);

  test("opens, reads and writes a session in time", async () => {
    const start = performance.now();
    const ledger = await openLedger(file);
    expect(await ledger.sessions({ limit: 50 })).toHaveLength(50);
    const record = await SessionRecord.open(ledger, `session-${SESSIONS / 2}`, { owner: "ann" });
    await record.append([{ type: "mode-changed", at: 1, modeId: "last" }], { durable: true });
    expect([record.seq, record.book.modeId]).toEqual([IN_A_SESSION + 1, "last"]);
    await record.close();
    const index = await openArchive(file);
    const { items } = await index.calls({ limit: 50 });
    expect(performance.now() - start).toBeLessThan(MAX_START_MS);
    expect(items.map(({ toolCallId }) => toolCallId)).toEqual(
      Array.from({ length: 50 }, (_, place) => `call-${CALLS - place}`),
    );
    await index.close();
    await ledger.close();
  });

  test("returns any page of fifty and a search's results in time", async () => {
    const index = await openArchive(file);
    const before = (number: number) => String((NOW + ((number * 7_919) % CALLS) * 10) * 1024);
    const pages = await slowest(200, (number) => index.calls({ limit: 50, before: before(number) }));
    const ofTool = await slowest(100, (number) => index.calls({ limit: 50, tool: `tool_${number % 20}` }));
    const sessions = await slowest(100, (number) =>
      index.sessions({ limit: 50, cwd: `/home/user/project-${number % 50}` }),
    );
    expect(Math.max(pages, ofTool, sessions)).toBeLessThan(MAX_PAGE_MS);
    const texts = ["word7", "word7 passed", `n${CALLS - 1}`, "n99*", '"npm test"', "passed nowhere"];
    const searches = await slowest(102, (number) =>
      index.search({ text: texts[number % texts.length] ?? "", limit: 50 }),
    );
    expect(searches).toBeLessThan(MAX_SEARCH_MS);
    expect((await index.search({ text: `n${CALLS - 1}` })).items).toHaveLength(1);
    await index.close();
  });

  test("continues a page where the last one ended, without skipping rows by count", async () => {
    const index = await openArchive(file);
    const ids: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < 20; page += 1) {
      const { items, next } = await index.calls({ limit: 50, tool: "tool_3", ...(before && { before }) });
      ids.push(...items.map(({ toolCallId }) => toolCallId));
      before = next;
    }
    await index.close();
    const expected = Array.from({ length: 1_000 }, (_, place) => `call-${CALLS - 17 - place * 20}`);
    expect(ids).toEqual(expected);
  });
});

/** A turn with one call. */
function turnNumber(number: number): SessionEvent[] {
  const [turnId, toolCallId, at] = [`turn-${number}`, `call-${number}`, NOW + number];
  return [
    { type: "turn-started", at, turnId },
    { type: "message-chunk", at, messageId: turnId, role: "agent", block: { type: "text", text: "Look." } },
    { type: "call-announced", toolCallId, at, name: "t", title: "T", kind: "other", kindSource: "declared" },
    { type: "input-ready", toolCallId, at, rawInput: { number } },
    { type: "call-cleared", toolCallId, at, decision: { by: "rule", rule: "r", at } },
    { type: "run-started", toolCallId, at },
    { type: "call-done", toolCallId, at, rawOutput: { number } },
    { type: "turn-stopped", at, turnId, stopReason: "end_turn" },
  ];
}

const TURNS = isLong ? 5_000 : 2_000;

test(`records the last of ${TURNS} turns in one session as fast as the first`, async () => {
  const ledger = await openLedger(join(folder, "turns.db"));
  const record = await SessionRecord.open(ledger, "s", { owner: "ann" });
  const times: number[] = [];
  for (let number = 0; number < TURNS; number += 1) {
    const start = process.cpuUsage();
    const events = turnNumber(number);
    await record.append(events.slice(0, 5));
    await record.append(events.slice(5));
    times.push(process.cpuUsage(start).user);
  }
  const median = (part: readonly number[]) =>
    part.toSorted((one, other) => one - other)[part.length / 2] ?? 0;
  // The promise is a fifth more, in CPU time; ten times that. A cost that grows with the session is 4.5 times.
  const [last, first] = [times.slice(-TURNS / 5), times.slice(TURNS / 10, (3 * TURNS) / 10)];
  expect(median(last)).toBeLessThan(3 * median(first));
  await record.close();
  await ledger.close();
});
