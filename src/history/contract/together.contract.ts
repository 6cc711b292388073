/** Everything together: a replay equals the live session, and a much simpler ledger gives the same results. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Answer, Lease, Ledger, Question, SessionEvent, SessionSummary } from "../../call/index.js";
import { SessionBook } from "../../call/index.js";
import type { Failed, Given, Store } from "./contract.samples.js";
import {
  NO,
  NOON,
  QUICK,
  SESSION,
  YES,
  aQuestion,
  answered,
  asked,
  callAt,
  claim,
  codeOf,
  eventsOf,
  expectReplays,
  outcomeOf,
  ran,
  said,
  withdrawn,
} from "./contract.samples.js";

export function together({ inNewStore, runs }: Given): void {
  const fates = fc.array(
    fc.record({
      fate: fc.constantFrom("allowed", "refused", "withdrawn", "not asked"),
      words: fc.string({ unit: "binary", maxLength: 8 }),
      // The doors have already normalised what JSON would change (-0, say).
      rawOutput: fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
    }),
    { maxLength: 6 },
  );
  test("replays a session from the log as it was live", async () => {
    await fc.assert(
      fc.asyncProperty(fates, async (calls) =>
        inNewStore(async ({ ledger, elsewhere }) => {
          const lease = await claim(ledger);
          const live = new SessionBook(SESSION);
          const happen = async (...events: SessionEvent[]) => {
            await ledger.append(lease, events, QUICK);
            live.applyAll(events);
          };
          const answer = async (questionId: string, given: Answer) => {
            const receipt = await elsewhere.answer(questionId, given);
            live.apply(answered(questionId, receipt.answer));
          };

          await happen({ type: "turn-started", at: NOON, turnId: "turn-1" });
          for (const [index, { fate, words, rawOutput }] of calls.entries()) {
            const question = aQuestion(`question-${index}`, `call-${index}`);
            const { questionId, toolCallId } = question;
            await happen(said(words), ...callAt(toolCallId));
            if (fate !== "not asked") await happen(asked(question));
            if (fate === "allowed") await answer(questionId, { ...YES, reason: words });
            if (fate === "refused") await answer(questionId, { ...NO, reason: words });
            if (fate === "withdrawn") await happen(withdrawn(questionId));
            const isRun = fate === "allowed" || fate === "not asked";
            if (isRun) await happen(...ran(toolCallId, rawOutput));
            else await happen({ type: "call-cancelled", at: NOON, toolCallId, reason: words });
          }
          await happen({ type: "turn-stopped", at: NOON, turnId: "turn-1", stopReason: "end_turn" });

          const log = await elsewhere.read(SESSION);
          const replayed = new SessionBook(
            SESSION,
            log.map(({ event }) => event),
          );
          expect(replayed.snapshot()).toEqual(live.snapshot());
          for (const type of new Set(log.map(({ event }) => event.type)))
            expect(await elsewhere.read(SESSION, { type })).toEqual(
              log.filter(({ event }) => event.type === type),
            );
        }),
      ),
      runs(100),
    );
  });

  test("behaves like a much simpler ledger for any requests in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 40 }), async (steps) =>
        inNewStore(async (store) => {
          const model = new Model();
          const held: Lease[] = [];
          for (const command of steps) {
            store.time += command.type === "time-passes" ? command.milliseconds : 0;
            const expected = model.outcome(command, store.time);
            const outcome = await realOutcome(store, held, command);
            expect({ command, outcome }).toEqual({ command, outcome: expected });
          }
          for (const sessionId of SESSIONS) {
            expect(await eventsOf(store.elsewhere, sessionId)).toEqual(model.log(sessionId));
            expect(await idsOfOpen(store.elsewhere, sessionId)).toEqual(model.open(sessionId));
            await expectReplays(store.ledger, sessionId);
          }
          expect(await idsOfOpen(store.ledger)).toEqual(model.open());
          expect(await store.elsewhere.sessions()).toEqual(model.sessions());
        }),
      ),
      runs(300),
    );
  });
}

// The simpler ledger: two sessions, three owners, five questions, one for each call.

const SESSIONS = ["session-1", "session-2"] as const;

type Command =
  | {
      readonly type: "claim";
      readonly sessionId: string;
      readonly owner: string;
      readonly milliseconds: number;
    }
  | { readonly type: "renew"; readonly lease: number; readonly milliseconds: number }
  | { readonly type: "release" | "remove"; readonly lease: number }
  | { readonly type: "say"; readonly lease: number; readonly texts: readonly string[] }
  | { readonly type: "ask" | "withdraw"; readonly lease: number; readonly number: number }
  | { readonly type: "answer"; readonly number: number; readonly answer: Answer }
  | { readonly type: "time-passes"; readonly milliseconds: number };

/** Counted from the newest lease back, so that most are tried soon after they were given. */
const leaseNumber = fc.nat(3);
const questionNumber = fc.nat(4);
const milliseconds = fc.constantFrom(1, 10, 25);
const answersGiven = fc.constantFrom<Answer>(
  { outcome: { type: "selected", optionId: "yes" }, intentHash: "intent-1", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "yes" }, intentHash: "other", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "no" }, intentHash: "other", by: "person", at: 0 },
  { outcome: { type: "selected", optionId: "maybe" }, intentHash: "intent-1", by: "person", at: 0 },
  { outcome: { type: "refused" }, intentHash: "", by: "rule", at: 0 },
);
const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant("claim" as const),
    sessionId: fc.constantFrom(...SESSIONS),
    owner: fc.constantFrom("ann", "bob", "cleo"),
    milliseconds,
  }),
  fc.record({ type: fc.constant("renew" as const), lease: leaseNumber, milliseconds }),
  fc.record({ type: fc.constantFrom("release" as const, "remove" as const), lease: leaseNumber }),
  fc.record({
    type: fc.constant("say" as const),
    lease: leaseNumber,
    texts: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constantFrom("ask" as const, "ask" as const, "withdraw" as const),
    lease: leaseNumber,
    number: questionNumber,
  }),
  fc.record({ type: fc.constant("answer" as const), number: questionNumber, answer: answersGiven }),
  fc.record({ type: fc.constant("time-passes" as const), milliseconds }),
);

type ModelLease = { readonly sessionId: string; readonly owner: string; expiresAt: number };
type ModelSession = { readonly log: SessionEvent[]; readonly createdAt: number; updatedAt: number };
type ModelQuestion = { readonly question: Question; status: "open" | "withdrawn" | Answer };

/** Computes the expected result of each command. The model has no fences: a lease is lost when it is not the newest. */
class Model {
  readonly #leases: ModelLease[] = [];
  readonly #newest = new Map<string, ModelLease | undefined>();
  readonly #sessions = new Map<string, ModelSession>();
  readonly #questions = new Map<number, ModelQuestion>();

  log(sessionId: string): readonly SessionEvent[] {
    return this.#sessions.get(sessionId)?.log ?? [];
  }

  sessions(): readonly SessionSummary[] {
    return SESSIONS.flatMap((sessionId) => {
      const session = this.#sessions.get(sessionId);
      if (!session) return [];
      const { log, createdAt, updatedAt } = session;
      return [{ sessionId, createdAt, updatedAt, lastSeq: log.length }];
    }).sort((one, other) => other.updatedAt - one.updatedAt);
  }

  open(sessionId?: string): readonly string[] {
    return [...this.#questions.values()]
      .filter(
        ({ status, question }) =>
          status === "open" && question.sessionId === (sessionId ?? question.sessionId),
      )
      .map(({ question }) => question.questionId);
  }

  outcome(command: Command, now: number): unknown {
    if (command.type === "time-passes") return "nothing";
    if (command.type === "claim") return this.#claim(command, now);
    if (command.type === "answer") return this.#answer(command, now);
    const lease = this.#leases.at(-1 - command.lease);
    if (!lease) return "nothing";
    const isNewest = this.#newest.get(lease.sessionId) === lease;
    switch (command.type) {
      case "renew":
        if (!isNewest) return { code: "LEASE_LOST" };
        lease.expiresAt = now + command.milliseconds;
        return { ...lease };
      case "release":
        if (isNewest) this.#newest.delete(lease.sessionId);
        return "nothing";
      case "remove":
        if (!isNewest) return { code: "LEASE_LOST" };
        this.#newest.delete(lease.sessionId);
        this.#sessions.delete(lease.sessionId);
        for (const [number, { question }] of this.#questions)
          if (question.sessionId === lease.sessionId) this.#questions.delete(number);
        return "nothing";
      case "say":
        return isNewest
          ? this.#append(lease.sessionId, command.texts.map(said), now)
          : { code: "LEASE_LOST" };
      case "ask": {
        if (!isNewest) return { code: "LEASE_LOST" };
        if (this.#questions.has(command.number)) return { code: "ILLEGAL_EVENT" };
        const question = numbered(command.number, lease.sessionId, now);
        this.#questions.set(command.number, { question, status: "open" });
        return this.#append(lease.sessionId, [...callAt(question.toolCallId), asked(question)], now);
      }
      case "withdraw": {
        if (!isNewest) return { code: "LEASE_LOST" };
        const known = this.#questions.get(command.number);
        if (known?.status !== "open" || known.question.sessionId !== lease.sessionId)
          return { code: "ILLEGAL_EVENT" };
        known.status = "withdrawn";
        return this.#append(lease.sessionId, [withdrawn(known.question.questionId)], now);
      }
      default:
        return command satisfies never;
    }
  }

  #claim({ sessionId, owner, milliseconds: length }: Command & { type: "claim" }, now: number): unknown {
    const newest = this.#newest.get(sessionId);
    if (newest && newest.owner !== owner && newest.expiresAt > now) return { code: "LEASE_HELD" };
    const lease = { sessionId, owner, expiresAt: now + length };
    this.#newest.set(sessionId, lease);
    this.#leases.push(lease);
    return { ...lease };
  }

  #answer({ number, answer }: Command & { type: "answer" }, now: number): unknown {
    const known = this.#questions.get(number);
    if (!known) return { code: "NO_SUCH_QUESTION" };
    if (known.status === "withdrawn") return { code: "WITHDRAWN" };
    if (known.status !== "open") return { counted: false, answer: known.status };
    const picked = answer.outcome.type === "selected" ? answer.outcome.optionId : "no";
    if (picked === "maybe") return { code: "NOT_OFFERED" };
    if (picked === "yes" && answer.intentHash !== "intent-1") return { code: "INTENT_CHANGED" };
    if (picked === "yes" && now >= (known.question.expiresAt ?? Infinity)) return { code: "EXPIRED" };
    known.status = answer;
    const { questionId, sessionId } = known.question;
    this.#append(sessionId, [{ type: "question-answered", at: now, questionId, answer }], now);
    return { counted: true, answer };
  }

  #append(sessionId: string, events: readonly SessionEvent[], now: number): number {
    const session = this.#sessions.get(sessionId) ?? { log: [], createdAt: now, updatedAt: now };
    session.log.push(...events);
    if (events.length > 0) this.#sessions.set(sessionId, Object.assign(session, { updatedAt: now }));
    return session.log.length;
  }
}

async function realOutcome(
  { ledger, elsewhere, time }: Store,
  held: Lease[],
  command: Command,
): Promise<unknown> {
  if (command.type === "time-passes") return "nothing";
  if (command.type === "claim") {
    const outcome = await outcomeOf(claim(ledger, command));
    if ("code" in outcome) return outcome;
    held.push(outcome);
    return withoutFence(outcome);
  }
  if (command.type === "answer")
    return outcomeOf(elsewhere.answer(`question-${command.number}`, command.answer));
  const lease = held.at(-1 - command.lease);
  if (!lease) return "nothing";
  switch (command.type) {
    case "renew":
      return withoutFence(await outcomeOf(elsewhere.renew(lease, command)));
    case "release":
      await ledger.release(lease);
      return "nothing";
    case "remove": {
      const code = await codeOf(elsewhere.remove(lease));
      return code === "none" ? "nothing" : { code };
    }
    case "say":
      return outcomeOf(elsewhere.append(lease, command.texts.map(said), QUICK));
    case "ask": {
      const question = numbered(command.number, lease.sessionId, time);
      return outcomeOf(ledger.append(lease, [...callAt(question.toolCallId), asked(question)], QUICK));
    }
    case "withdraw":
      return outcomeOf(ledger.append(lease, [withdrawn(`question-${command.number}`)], QUICK));
    default:
      return command satisfies never;
  }
}

/** Questions with an even number expire, the others never do. */
function numbered(number: number, sessionId: string, askedAt: number): Question {
  const expiry = number % 2 === 0 ? { expiresAt: askedAt + 15 } : {};
  return aQuestion(`question-${number}`, `call-${number}`, { sessionId, askedAt, ...expiry });
}

function withoutFence(outcome: Lease | Failed): unknown {
  if ("code" in outcome) return outcome;
  const { fence: _, ...rest } = outcome;
  return rest;
}

const idsOfOpen = async (ledger: Ledger, sessionId?: string) =>
  (await ledger.openQuestions(sessionId === undefined ? {} : { sessionId })).map(
    ({ questionId }) => questionId,
  );
