/**
 * The recorded events of a session, for apps that show more than the protocol has: kinds, titles, diffs, terminals,
 * progress, locations, the plan, questions. The id of an event is its number in the log. Secrets are redacted, as
 * everywhere where events leave the store; signed parts of a provider's answer and the app's settings are left out.
 */
import { sessionFromSaved } from "../../call/index.js";
import type { Ledger, RecordedEvent, SessionEvent } from "../../call/index.js";
import { RedactedEvents } from "../../history/index.js";
import type { ServerContext } from "../server-context.js";
import { frame } from "../stream/event-stream.js";
import type { SseWriter } from "../stream/event-stream.js";
import { withoutAddresses } from "../stream/without-addresses.js";
import { withoutSeed } from "./seed-events.js";
import { AapProblem } from "../api/aap-problem.js";

export async function streamSessionEvents(
  { ledger, redactPatterns }: Pick<ServerContext, "ledger" | "redactPatterns">,
  { sessionId, after }: { readonly sessionId: string; readonly after: number },
  { write, isBehind, drained, signal }: SseWriter,
): Promise<void> {
  const redacted = new RedactedEvents(redactPatterns);
  const emit = ({ seq, event }: RecordedEvent) => {
    const shown = redacted.redacted([withoutOwn(event)]);
    if (seq <= after) return;
    // Text that was held back comes before the event that ended it.
    for (const [index, one] of shown.entries())
      write(frame(index === shown.length - 1 ? `${seq}` : `${seq - 1}.${index + 1}`, one.type, one));
  };
  const start = await redactionStart(ledger, sessionId, after);
  // A follower that has seen an event ends when the session is deleted; one that has seen none waits for the first.
  const [first] = await ledger.read(sessionId, { after: start, limit: 1 });
  if (!first && start === 0) return;
  if (first) emit(first);
  for await (const recorded of ledger.follow(sessionId, { after: first?.seq ?? start, signal })) {
    emit(recorded);
    if (isBehind()) await drained();
  }
}

/**
 * Where to start redacting for a client that has the events up to `after`. The second half of a secret looks like any
 * other text, so no stream of text may cross that place: the start of the log, or a snapshot that has no open call
 * and that no text continues.
 */
async function redactionStart(ledger: Ledger, sessionId: string, after: number): Promise<number> {
  const snapshot = await ledger.snapshot?.(sessionId);
  if (!snapshot || snapshot.seq >= after) return 0;
  const [next] = await ledger.read(sessionId, { after: snapshot.seq, limit: 1 });
  if (next?.event.type === "message-chunk" || next?.event.type === "terminal-output") return 0;
  const timeline = sessionFromSaved(snapshot.saved)?.timeline;
  const isSettled = timeline?.every((entry) => entry.type !== "call" || entry.call.times.ended !== undefined);
  return isSettled ? snapshot.seq : 0;
}

export function readSeq(text: string): number {
  // The id of a turn's event is accepted too. An id with an offset may be in the middle of its recorded event.
  const [, seq, offset] = /^(\d{1,15})(?:\.\d{1,4}(\.\d{1,15})?)?$/.exec(text) ?? [];
  if (seq !== undefined) return Number(seq) - (offset === undefined ? 0 : 1);
  throw new AapProblem(
    "BAD_REQUEST",
    "This is not the id of an event that this server sent. No events were sent.",
  );
}

/** Without the signed parts of a provider's answer, and without what apps have set up. */
function withoutOwn(event: SessionEvent): SessionEvent {
  if (event.type === "step-ended" || event.type === "child-stepped") {
    const { answer: _answer, ...shown } = event;
    return shown;
  }
  if (event.type === "turn-stopped" && event.error !== undefined)
    return { ...event, error: withoutAddresses(event.error) };
  if (event.type !== "info-changed" || !event.info._meta) return event;
  const { aap: _aap, aapRequest: _request, ...meta } = withoutSeed(event.info._meta);
  return { ...event, info: { ...event.info, _meta: meta } };
}
