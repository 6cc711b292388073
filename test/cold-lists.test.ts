/**
 * Lists over a ledger without an index: they read little of each log, equal the fold of the whole log, and do not block
 * other requests. Every list must be ready within a second.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../src/aap/client/index.js";
import { SessionList } from "../src/aap/sessions/session-list.js";
import { Metrics } from "../src/aap/server/metrics.js";
import { listQuestions } from "../src/aap/sessions/questions.js";
import { configEvent, newConfig, storedSession, wireSession } from "../src/aap/sessions/session-config.js";
import type { AcpHost } from "../src/acp/index.js";
import { lives, SESSION_ID } from "../src/call/calls.samples.js";
import { SessionBook } from "../src/call/index.js";
import type { Ledger, RecordedEvent, SessionEvent } from "../src/call/index.js";
import { loggedLedger } from "../src/cli/logged-ledger.js";
import { openLog } from "../src/cli/open-log.js";
import {
  MemoryLedger,
  openLedger,
  RedactedEvents,
  redactingLedger,
  redactionPattern,
} from "../src/history/index.js";
import { AUTHORIZED, serving, TOKEN } from "./aap-http-kit.js";
import { folder } from "./agent-kit.js";
import { rawAgent } from "./raw-agent.js";

const CWD = "/home/user/project";
const SESSIONS = 400;
const FIRST = { after: undefined, limit: 500 };
const WORDS = 60;

const said = (text: string): SessionEvent => ({
  type: "message-chunk",
  at: 1,
  messageId: "m1",
  role: "agent",
  block: { type: "text", text },
});

const asked = (sessionId: string, toolCallId: string, questionId: string): SessionEvent => {
  const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" } as const];
  const question = { questionId, sessionId, toolCallId, intentHash: "i", title: "Send", askedAt: 1, options };
  return { type: "question-asked", toolCallId, at: 1, question };
};

/** A call up to where it may be asked about. */
const ready = (toolCallId: string): readonly SessionEvent[] => {
  const announced = { name: "send", title: "Send", kind: "other", kindSource: "declared" } as const;
  return [
    { type: "call-announced", toolCallId, at: 1, ...announced },
    { type: "input-ready", toolCallId, at: 1, rawInput: { to: "Ada" } },
  ];
};

async function write(ledger: Ledger, sessionId: string, events: readonly SessionEvent[]): Promise<void> {
  const lease = await ledger.claim(sessionId, "someone", { milliseconds: 60_000 });
  await ledger.append(lease, events, { durable: false });
  await ledger.release(lease);
}

/** Another hand on the same ledger that knows when a list begins, and what was read by now. */
function watching(ledger: Ledger) {
  const watched = new Metrics().watched(ledger);
  const seen = { reads: 0, events: 0 };
  let begin = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const read: Ledger["read"] = async (sessionId, options) => {
    begin();
    seen.reads += 1;
    const events = await watched.read(sessionId, options);
    seen.events += events.length;
    return events;
  };
  return { ledger: { ...watched, read }, seen, started };
}

describe("answers other requests while a large ledger is first listed", () => {
  let place: string;
  let large: Ledger;
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "toolgate-lists-"));
    large = await openLedger(join(place, "ledger.db"));
    const words = Array.from({ length: WORDS }, (_, index) => said(`word ${index} `));
    const ids = Array.from({ length: SESSIONS }, (_, index) => `session-${index}`);
    await Promise.all(
      ids.map((sessionId) =>
        write(large, sessionId, [
          { type: "info-changed", at: 1, info: { cwd: CWD } },
          ...words,
          ...ready("call_1"),
          asked(sessionId, "call_1", `question of ${sessionId}`),
        ]),
      ),
    );
  });
  afterAll(async () => {
    await large.close();
    await rm(place, { recursive: true });
  });

  test.each([
    ["/sessions", { sessions: [] }, 1],
    ["/questions", { questions: expect.objectContaining({ length: SESSIONS }) }, WORDS + 4],
  ])("%s", async (path, listed, eventsOfEach) => {
    const { ledger, seen, started } = watching(large);
    const { url } = await serving([{ say: "Hello." }], { ledger });
    const isAlive = async () => (await fetch(`${url}/healthz`)).text();
    await isAlive();
    const list = fetch(`${url}${path}`, { headers: AUTHORIZED });
    await started;
    const since = performance.now();
    await isAlive();
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(seen.reads).toBeLessThan(SESSIONS);
    expect(await (await list).json()).toEqual(listed);
    expect(seen).toMatchObject({ reads: SESSIONS, events: SESSIONS * eventsOfEach });
  });

  test("/questions, a page at a time", async () => {
    const { ledger, seen } = watching(large);
    const { url } = await serving([{ say: "Hello." }], { ledger });
    const get = (query: string) => fetch(`${url}/questions?${query}`, { headers: AUTHORIZED });
    const ids: string[] = [];
    let after = "";
    for (const length of [150, 150, 100]) {
      const reads = seen.reads;
      const page = (await (await get(`limit=150${after}`)).json()) as {
        questions: { questionId: string }[];
        next?: string;
      };
      expect([page.questions.length, seen.reads - reads]).toEqual([length, length]);
      ids.push(...page.questions.map(({ questionId }) => questionId));
      after = page.next === undefined ? "" : `&after=${page.next}`;
    }
    expect([after, new Set(ids).size]).toEqual(["", SESSIONS]);
    for (const query of ["limit=0", "limit=501", "limit=x", "after=nonsense"])
      expect((await get(query)).status).toBe(400);
  });

  test("an editor's session/list", async () => {
    const { ledger, seen, started } = watching(large);
    const host: AcpHost = { ledger, openSession: () => Promise.reject(new Error("not here")) };
    const agent = await rawAgent(host);
    const list = agent.request("session/list", { cwd: "/home/user/elsewhere" });
    await started;
    const since = performance.now();
    expect(await agent.request("session/list", { cursor: "mine" })).toHaveProperty("error");
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(seen.reads).toBeLessThan(SESSIONS);
    expect(await list).toMatchObject({ result: { sessions: [] } });
    expect(seen).toMatchObject({ reads: SESSIONS, events: SESSIONS });
  });
});

const infos = fc.oneof(
  fc.constantFrom("one", `"info-changed"`).map((title) => ({ title })),
  fc.constantFrom(CWD, "/elsewhere").map((cwd) => ({ cwd })),
);
const others: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.constantFrom("info-changed", "key-", "secret1").map(said),
  infos.map((info) => ({ type: "info-changed", at: 2, info }) as const),
  fc.constantFrom("Shows.", "Lists.").map((description) => {
    const tools = [{ name: "show", description, parameters: {} }];
    return configEvent({ ...newConfig("clerk"), tools }, {}, 2);
  }),
);

/** A terminal's output: a secret, in pieces. */
const PIECES = ["key-", "sec", "ret1", " done\n"];
const REDACT = [redactionPattern(String.raw`key-secret\d`)];

/** Unfinished calls, in one log with messages and the session's description. */
const logs = fc
  .record({
    parts: fc.tuple(lives(1), lives(2), lives(3), fc.array(others, { maxLength: 8 })),
    picks: fc.infiniteStream(fc.nat(3)),
  })
  .map(({ parts, picks }) => {
    const left = parts.map((part) => [...part]);
    const log: SessionEvent[] = [];
    for (const pick of picks) {
      const event = left[pick]?.shift();
      if (event?.type === "terminal-output") log.push({ ...event, text: PIECES[log.length % 4] ?? "" });
      else if (event) log.push(event);
      if (left.every((part) => part.length === 0)) break;
    }
    return log;
  });

/** As a ledger that was written before there were types to name. */
function knowingNoTypes(ledger: Ledger): Ledger {
  return {
    ...new Metrics().watched(ledger),
    read: (sessionId, { after = 0 } = {}) => ledger.read(sessionId, { after }),
    sessions: async (options) => {
      const all = await ledger.sessions(options);
      return all.map(({ sessionId, createdAt, updatedAt }) => ({ sessionId, createdAt, updatedAt }));
    },
  };
}

// The lists as a fold of the whole log gives them.

const NO_AGENTS = { agents: new Map(), trustable: () => false };

function appsSessions(log: readonly RecordedEvent[]): readonly object[] {
  const stored = storedSession(log);
  return stored ? [wireSession(SESSION_ID, stored.config, NO_AGENTS)] : [];
}

function editorsSessions(events: readonly SessionEvent[]): readonly object[] {
  const { cwd, title } = new SessionBook(SESSION_ID, events).info;
  if (cwd !== CWD) return [];
  return [
    { sessionId: SESSION_ID, cwd, updatedAt: expect.any(String), ...(title !== undefined && { title }) },
  ];
}

function questionsOf(events: readonly SessionEvent[]): readonly object[] {
  const book = new SessionBook(SESSION_ID, new RedactedEvents(REDACT).redacted(events));
  const open = book.snapshot().questions.filter(({ state }) => state.status === "open");
  return open.map(({ question }) => {
    const { name, kind, title, rawInput, content, locations } = book.call(question.toolCallId) ?? {};
    return { ...question, call: { name, kind, title, rawInput, content, locations } };
  });
}

describe("a list equals the fold of the whole log", () => {
  test.each<[string, () => Promise<Ledger>]>([
    ["in memory", async () => new MemoryLedger()],
    ["in SQLite", async () => openLedger(join(await folder(), "ledger.db"))],
    ["that knows no types", async () => knowingNoTypes(new MemoryLedger())],
  ])("on a ledger %s", async (_name, open) => {
    let ledger = await open();
    const agent = await rawAgent({
      get ledger() {
        return ledger;
      },
      openSession: () => Promise.reject(new Error("not here")),
    });
    await fc.assert(
      fc.asyncProperty(logs, fc.boolean(), fc.nat(30), async (log, isApps, first) => {
        await ledger.close();
        ledger = await open();
        const listed = new SessionList({ ledger, ...NO_AGENTS });
        // A session is an app's from its first event on, or never.
        const events = isApps
          ? [configEvent(newConfig("clerk"), {}, 1), ...log]
          : log.filter((event) => event.type !== "info-changed" || event.info._meta === undefined);
        for (const part of [events.slice(0, first), events.slice(first)]) {
          await write(ledger, SESSION_ID, part);
          const recorded = await ledger.read(SESSION_ID);
          const soFar = recorded.map(({ event }) => event);
          const { sessions } = await listed.page(undefined);
          expect(sessions).toEqual(appsSessions(recorded));
          const { result } = await agent.request("session/list", { cwd: CWD });
          expect(result?.sessions).toEqual(editorsSessions(soFar));
          const { questions } = await listQuestions({ ledger, redactPatterns: REDACT, now: Date.now }, FIRST);
          expect(questions).toEqual(questionsOf(soFar));
        }
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) },
    );
    await ledger.close();
  });
});

test("lists a call that is asked about again with its last question, whatever was asked about others", async () => {
  const ledger = new MemoryLedger();
  const answer = {
    outcome: { type: "selected", optionId: "yes" },
    intentHash: "i",
    by: "person",
    at: 1,
  } as const;
  const answered = (questionId: string): SessionEvent => ({
    type: "question-answered",
    at: 1,
    questionId,
    answer,
  });
  const cleared = (toolCallId: string): SessionEvent => ({ type: "call-cleared", toolCallId, at: 1 });
  const events = [
    ...ready("call_1"),
    asked(SESSION_ID, "call_1", "first"),
    ...ready("call_2"),
    asked(SESSION_ID, "call_2", "other"),
    answered("first"),
    cleared("call_1"),
    answered("other"),
    asked(SESSION_ID, "call_1", "second"),
  ];
  await write(ledger, SESSION_ID, events);
  const { questions } = await listQuestions({ ledger, redactPatterns: [], now: Date.now }, FIRST);
  expect(questions).toMatchObject([{ questionId: "second", call: { rawInput: { to: "Ada" } } }]);
  expect(questions).toEqual(questionsOf(events));
});

test("reads all pages of questions with the client, and refuses a cursor of a deleted session", async () => {
  const ledger = new MemoryLedger();
  const ids = Array.from({ length: 501 }, (_, index) => `s${index}`);
  for (const sessionId of ids)
    await write(ledger, sessionId, [
      ...ready("call_1"),
      asked(sessionId, "call_1", `question of ${sessionId}`),
    ]);
  const { url } = await serving([{ say: "Hello." }], { ledger });
  const client = connect(url, TOKEN);
  const questions = await client.questions();
  expect(questions.map(({ sessionId }) => sessionId)).toEqual(ids);
  const get = (query: string) => fetch(`${url}/questions?${query}`, { headers: AUTHORIZED });
  const { next } = (await (await get("limit=1")).json()) as { next: string };
  await ledger.remove(await ledger.claim("s0", "test", { milliseconds: 1_000 }));
  const refused = await get(`after=${next}`);
  expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: "CONFLICT" } }]);
});

test("does not list a question that is answered while others are read", async () => {
  const ledger = new MemoryLedger();
  for (const sessionId of ["s1", "s2"])
    await write(ledger, sessionId, [
      ...ready("call_1"),
      asked(sessionId, "call_1", `question of ${sessionId}`),
    ]);
  const listing = listQuestions({ ledger, redactPatterns: [], now: Date.now }, FIRST);
  await ledger.answer("question of s2", {
    outcome: { type: "refused" },
    intentHash: "i",
    by: "person",
    at: 1,
  });
  expect((await listing).questions).toMatchObject([{ questionId: "question of s1" }]);
});

test("a wrapper of a ledger passes on the event type filter", async () => {
  const inner = new MemoryLedger();
  const log = await openLog({}, { TOOLGATE_LOG: "fatal" });
  if (!log) throw new Error("There is no log.");
  const ledger = loggedLedger(new Metrics().watched(redactingLedger(inner)), log);
  onTestFinished(() => ledger.close());
  await write(ledger, "s1", [said("Hello."), { type: "info-changed", at: 1, info: { title: "One" } }]);
  expect(await ledger.read("s1", { type: "info-changed" })).toMatchObject([{ seq: 2 }]);
  expect(await ledger.sessions()).toMatchObject([{ sessionId: "s1", lastSeq: 2 }]);
});
