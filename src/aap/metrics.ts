/**
 * What a server has done since it was started, in figures. They are counted from what is recorded, so that they cannot
 * disagree with the history; labels are words of ours, of which there are few.
 */
import type { ServerResponse } from "node:http";
import { allOpenQuestions, readAll, STATUS_AT_END } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";
import { Counter, gauge, Histogram } from "./prometheus.js";

type OpenCall = { readonly kind: string; readonly startedAt?: number };

export class Metrics {
  readonly #sessions = new Counter("toolgate_sessions_created_total", "Sessions that were made.", {
    isPlain: true,
  });
  readonly #turns = new Counter(
    "toolgate_turns_total",
    "Turns that ended, by why; parked ones wait for the app.",
  );
  readonly #turnSeconds = new Histogram(
    "toolgate_turn_seconds",
    "How long turns went on until they ended or waited.",
  );
  readonly #calls = new Counter("toolgate_calls_total", "Tool calls that ended, by the tool's kind and how.");
  readonly #callSeconds = new Histogram("toolgate_call_seconds", "How long tools ran, by their kind.");
  readonly #requests = new Counter("toolgate_http_requests_total", "Requests that were let in and answered.");
  readonly #openCalls = new Map<string, OpenCall>();
  readonly #runningTurns = new Map<string, number>();
  readonly #answers = new Set<ServerResponse>();

  /** The same ledger, with what is recorded through it counted. */
  watched(ledger: Ledger): Ledger {
    return {
      altersWords: ledger.altersWords,
      claim: (sessionId, owner, options) => ledger.claim(sessionId, owner, options),
      renew: (lease, options) => ledger.renew(lease, options),
      release: (lease) => ledger.release(lease),
      append: async (lease, events, options) => {
        let stored = events.length;
        const onStored = (count: number) => {
          stored = count;
          options.onStored?.(count);
        };
        const seq = await ledger.append(lease, events, { ...options, onStored });
        if (seq === stored) this.#sessions.add();
        for (const event of events) {
          const counting = this.#count(ledger, lease.sessionId, event);
          if (counting) await counting;
        }
        return seq;
      },
      read: (sessionId, options) => ledger.read(sessionId, options),
      has: (sessionId) => ledger.has(sessionId),
      follow: (sessionId, options) => ledger.follow(sessionId, options),
      answer: (questionId, answer) => ledger.answer(questionId, answer),
      openQuestions: (options) => ledger.openQuestions(options),
      sessions: (options) => ledger.sessions(options),
      remove: (lease) => ledger.remove(lease),
      // A ledger that keeps no snapshots must not look as if it did.
      ...(ledger.snapshot && { snapshot: ledger.snapshot.bind(ledger) }),
      ...(ledger.keepSnapshot && { keepSnapshot: ledger.keepSnapshot.bind(ledger) }),
      putBlob: (bytes) => ledger.putBlob(bytes),
      getBlob: (hash) => ledger.getBlob(hash),
      close: () => ledger.close(),
    };
  }

  /** Until it is given, or nobody hears it any more. */
  answering(method: string, response: ServerResponse): void {
    this.#answers.add(response);
    response.once("close", () => {
      this.#answers.delete(response);
      this.#requests.add({ method, status: String(response.statusCode) });
    });
  }

  async text(ledger: Ledger): Promise<string> {
    const streams = [...this.#answers].filter(
      (answer) => answer.getHeader("content-type") === "text/event-stream",
    );
    const questions = await allOpenQuestions(ledger);
    return [
      ...[this.#sessions, this.#turns, this.#turnSeconds, this.#calls, this.#callSeconds, this.#requests].map(
        (figure) => figure.text(),
      ),
      gauge("toolgate_turns_running", "Turns under way in this process.", this.#runningTurns.size),
      gauge(
        "toolgate_open_questions",
        "Calls that wait for someone's yes or no, in all sessions.",
        questions.length,
      ),
      gauge("toolgate_streams", "Event streams that are open.", streams.length),
      gauge("process_resident_memory_bytes", "Memory of this process.", process.memoryUsage.rss()),
      gauge("process_uptime_seconds", "Since the process was started.", Math.floor(process.uptime())),
    ].join("");
  }

  /** Nearly always at once: this runs for every word that is streamed. */
  #count(ledger: Ledger, sessionId: string, event: SessionEvent): Promise<void> | undefined {
    switch (event.type) {
      case "turn-started":
      case "turn-resumed":
        this.#runningTurns.set(JSON.stringify([sessionId, event.turnId]), event.at);
        return undefined;
      case "turn-parked":
        this.#turnOver(sessionId, event, "parked");
        return undefined;
      case "turn-stopped":
        this.#turnOver(sessionId, event, event.stopReason);
        return undefined;
      default:
        return "toolCallId" in event ? this.#countCall(ledger, sessionId, event) : undefined;
    }
  }

  #turnOver(
    sessionId: string,
    { turnId, at }: { readonly turnId: string; readonly at: number },
    why: string,
  ): void {
    const key = JSON.stringify([sessionId, turnId]);
    const startedAt = this.#runningTurns.get(key);
    this.#runningTurns.delete(key);
    this.#turns.add({ stop_reason: why });
    if (startedAt !== undefined) this.#turnSeconds.add(at - startedAt);
  }

  #countCall(
    ledger: Ledger,
    sessionId: string,
    event: SessionEvent & { readonly toolCallId: string },
  ): Promise<void> | undefined {
    const key = JSON.stringify([sessionId, event.toolCallId]);
    const end = STATUS_AT_END.get(event.type);
    const call = this.#openCalls.get(key);
    if (end === undefined) {
      const changed = changedCall(call, event);
      if (changed) this.#openCalls.set(key, changed);
      return undefined;
    }
    this.#openCalls.delete(key);
    const over = ({ kind, startedAt }: OpenCall) => {
      this.#calls.add({ kind, end });
      if (startedAt !== undefined) this.#callSeconds.add(event.at - startedAt, { kind });
    };
    if (!call) return earlierCall(ledger, sessionId, event.toolCallId).then(over);
    over(call);
    return undefined;
  }
}

function changedCall(call: OpenCall | undefined, event: SessionEvent): OpenCall | undefined {
  if (event.type === "call-announced") return { kind: event.kind };
  if (!call) return undefined;
  if (event.type === "call-revised") return { ...call, kind: event.fields.kind ?? call.kind };
  return event.type === "run-started" ? { ...call, startedAt: event.at } : call;
}

/** A call that an earlier process announced. What is recorded is recorded, whether it can be counted or not. */
async function earlierCall(ledger: Ledger, sessionId: string, toolCallId: string): Promise<OpenCall> {
  let call: OpenCall | undefined;
  const log = await readAll(ledger, sessionId).catch(() => []);
  for (const { event } of log)
    if ("toolCallId" in event && event.toolCallId === toolCallId) call = changedCall(call, event);
  return call ?? { kind: "other" };
}
