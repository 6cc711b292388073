/**
 * Figures of a server since its start. They are counted from the recorded events, so that they cannot disagree with the
 * history; labels have few values, all of them ours.
 */
import type { ServerResponse } from "node:http";
import { allOpenQuestions, handleEvent, LedgerError, readAll } from "../../call/index.js";
import type { EventTable, Ledger, ToolCallEvent, ToolCallStatus } from "../../call/index.js";
import { callAfter, OpenCalls } from "../../call/open-calls.js";
import { forwardLedger } from "../../call/forward-ledger.js";
import type { OpenCall } from "../../call/open-calls.js";
import { Counter, gauge, Histogram } from "./prometheus.js";

type Place = { readonly ledger: Ledger; readonly sessionId: string };

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
  readonly #compactions = new Counter(
    "toolgate_compactions_total",
    "Summaries that replaced the beginning of a conversation for the model.",
    { isPlain: true },
  );
  readonly #requests = new Counter("toolgate_http_requests_total", "Requests that were let in and answered.");
  readonly #leaseLosses = new Counter(
    "toolgate_lease_losses_total",
    "Sessions that another process claimed while this one wrote to them.",
    { isPlain: true },
  );
  readonly #takeOvers = new Counter(
    "toolgate_take_overs_total",
    "Turns of other instances that this one went on with.",
    { isPlain: true },
  );
  readonly #openCalls = new OpenCalls();
  readonly #runningTurns = new Map<string, number>();
  readonly #responses = new Set<ServerResponse>();

  /** How each event is counted. Nearly always at once, since this runs for every chunk of streamed text. */
  static readonly #TABLE: EventTable<[self: Metrics, place: Place], Promise<void> | undefined | void> = {
    "turn-started": (event, self, place) => self.#turnRuns(place, event),
    "turn-resumed": (event, self, place) => self.#turnRuns(place, event),
    "turn-parked": (event, self, place) => self.#turnOver(place, event, "parked"),
    "turn-stopped": (event, self, place) => self.#turnOver(place, event, event.stopReason),
    "call-announced": (event, self, place) => self.#callChanges(place, event),
    "call-revised": (event, self, place) => self.#callChanges(place, event),
    "run-started": (event, self, place) => self.#callChanges(place, event),
    "call-done": (event, self, place) => self.#callOver(place, event, "done"),
    "call-failed": (event, self, place) => self.#callOver(place, event, "failed"),
    "call-refused": (event, self, place) => self.#callOver(place, event, "refused"),
    "call-cancelled": (event, self, place) => self.#callOver(place, event, "cancelled"),
    "call-unknown": (event, self, place) => self.#callOver(place, event, "unknown"),
    "step-ended": ignore,
    "context-compacted": (_event, self) => self.#compactions.add(),
    "window-learnt": ignore,
    "message-chunk": ignore,
    "question-asked": ignore,
    "question-answered": ignore,
    "question-withdrawn": ignore,
    "plan-updated": ignore,
    "mode-changed": ignore,
    "info-changed": ignore,
    "traffic-repaired": ignore,
    "input-delta": ignore,
    "input-ready": ignore,
    "content-appended": ignore,
    "terminal-output": ignore,
    "terminal-exited": ignore,
    "app-awaited": ignore,
    "child-awaited": ignore,
    "child-stepped": ignore,
    "call-cleared": ignore,
    "cancel-requested": ignore,
    "process-started": ignore,
    "file-kept": ignore,
    "sandbox-refused": ignore,
    "call-undone": ignore,
    "call-breached": ignore,
  };

  /** The same ledger, with every recorded event counted. */
  watched(ledger: Ledger): Ledger {
    return {
      ...forwardLedger(ledger),
      renew: (lease, options) => ledger.renew(lease, options).catch(this.#countLoss),
      append: async (lease, events, options) => {
        let stored = events.length;
        const onStored = (count: number) => {
          stored = count;
          options.onStored?.(count);
        };
        const seq = await ledger.append(lease, events, { ...options, onStored }).catch(this.#countLoss);
        if (seq === stored) this.#sessions.add();
        const place = { ledger, sessionId: lease.sessionId };
        for (const event of events) {
          const counting = handleEvent(Metrics.#TABLE, event, this, place);
          if (counting) await counting;
        }
        return seq;
      },
    };
  }

  readonly countTakeOver = (): void => this.#takeOvers.add();

  readonly #countLoss = (error: unknown): never => {
    if (error instanceof LedgerError && error.code === "LEASE_LOST") this.#leaseLosses.add();
    throw error;
  };

  /** Counts the request when its response is sent, or the client hangs up. */
  countRequest(method: string, response: ServerResponse): void {
    this.#responses.add(response);
    response.once("close", () => {
      this.#responses.delete(response);
      this.#requests.add({ method, status: String(response.statusCode) });
    });
  }

  async text(ledger: Ledger): Promise<string> {
    const streams = [...this.#responses].filter(
      (response) => response.getHeader("content-type") === "text/event-stream",
    );
    const questions = await allOpenQuestions(ledger);
    return [
      ...[
        this.#sessions,
        this.#turns,
        this.#turnSeconds,
        this.#calls,
        this.#callSeconds,
        this.#compactions,
        this.#requests,
        this.#leaseLosses,
        this.#takeOvers,
      ].map((figure) => figure.text()),
      gauge("toolgate_turns_running", "Turns under way in this process.", this.#runningTurns.size),
      gauge(
        "toolgate_open_questions",
        "Calls that wait for someone's yes or no, in all sessions.",
        questions.length,
      ),
      ...(await lagFigures(ledger)),
      gauge("toolgate_streams", "Event streams that are open.", streams.length),
      gauge("process_resident_memory_bytes", "Memory of this process.", process.memoryUsage.rss()),
      gauge("process_uptime_seconds", "Since the process was started.", Math.floor(process.uptime())),
    ].join("");
  }

  #turnRuns({ sessionId }: Place, { turnId, at }: { readonly turnId: string; readonly at: number }): void {
    this.#runningTurns.set(JSON.stringify([sessionId, turnId]), at);
  }

  #turnOver(
    { sessionId }: Place,
    { turnId, at, tookMs }: { readonly turnId: string; readonly at: number; readonly tookMs?: number },
    stopReason: string,
  ): void {
    const key = JSON.stringify([sessionId, turnId]);
    const startedAt = this.#runningTurns.get(key);
    this.#runningTurns.delete(key);
    this.#turns.add({ stop_reason: stopReason });
    if (startedAt !== undefined) this.#turnSeconds.add(tookMs ?? at - startedAt);
  }

  #callChanges({ sessionId }: Place, event: ToolCallEvent): void {
    this.#openCalls.take(event, JSON.stringify([sessionId, event.toolCallId]));
  }

  #callOver(
    { ledger, sessionId }: Place,
    event: ToolCallEvent & { readonly ranMs?: number },
    end: ToolCallStatus,
  ): Promise<void> | undefined {
    const { toolCallId, at, ranMs } = event;
    const call = this.#openCalls.take(event, JSON.stringify([sessionId, toolCallId]));
    const count = ({ kind, startedAt }: Pick<OpenCall, "kind" | "startedAt">) => {
      this.#calls.add({ kind, end });
      if (startedAt !== undefined) this.#callSeconds.add(ranMs ?? at - startedAt, { kind });
    };
    if (!call) return earlierCall(ledger, sessionId, toolCallId).then(count);
    count(call);
    return undefined;
  }
}

/** Figures of a store that instances share; none when it cannot be reached. */
async function lagFigures(ledger: Ledger): Promise<readonly string[]> {
  const health = await ledger.health?.().catch(() => undefined);
  if (!health) return [];
  const { waitingSessions, oldestWaitMs, noticeLagMs } = health;
  const figures = [
    gauge("toolgate_waiting_sessions", "Turns that wait for an instance, of all places.", waitingSessions),
    gauge("toolgate_waiting_seconds", "How long the oldest of them has waited.", oldestWaitMs / 1000),
  ];
  if (noticeLagMs === undefined) return figures;
  const lag = "How long the last notification between instances took.";
  return [...figures, gauge("toolgate_notice_lag_seconds", lag, noticeLagMs / 1000)];
}

function ignore(): undefined {
  return undefined;
}

/** A call that an earlier process announced. Where the log cannot be read, the call counts as one of another kind. */
async function earlierCall(
  ledger: Ledger,
  sessionId: string,
  toolCallId: string,
): Promise<Pick<OpenCall, "kind" | "startedAt">> {
  let call: OpenCall | undefined;
  const log = await readAll(ledger, sessionId).catch(() => []);
  for (const { event } of log)
    if ("toolCallId" in event && event.toolCallId === toolCallId) call = callAfter(call, event);
  return call ?? { kind: "other" };
}
