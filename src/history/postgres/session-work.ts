/** Names the sessions of a place that somebody must go on with and nobody holds. */
import { isGone } from "../../process/process-identity.js";
import { holderFromStored } from "../lease-rules.js";
import { nameFromStored, storedName } from "../stored-json.js";
import type { LedgerContext } from "./ledger-context.js";
import { LOOK_MS } from "./session-followers.js";
import type { SessionFollowers } from "./session-followers.js";

/** A look after the end of a lease, not at it. */
const LEASE_END_MARGIN_MS = 10;
const MAX_WORK = 100;

type Options = {
  readonly context: LedgerContext;
  readonly followers: SessionFollowers;
  readonly place: string;
  readonly signal: AbortSignal;
  readonly isClosed: () => boolean;
};

/** Looks when a question was answered anywhere, when a lease on such a session ends, and each second. */
export async function* sessionWork(options: Options): AsyncGenerator<string> {
  const { context, followers, place, signal, isClosed } = options;
  const { sql, statements, time } = context;
  while (!signal.aborted && !isClosed()) {
    const { woken, stop } = followers.listenForWork(signal);
    let timer = setTimeout(stop, LOOK_MS).unref();
    try {
      // A server that cannot be reached now is asked again at the next look.
      const rows = await sql.run(statements.work, time(), storedName(place), MAX_WORK).catch(() => []);
      const nextEndMs = Math.min(LOOK_MS, ...rows.map(({ left_ms }) => left_ms || LOOK_MS));
      if (nextEndMs < LOOK_MS) {
        clearTimeout(timer);
        timer = setTimeout(stop, nextEndMs + LEASE_END_MARGIN_MS).unref();
      }
      for (const { session_id, left_ms, holder } of rows) {
        const process = holder === null ? undefined : holderFromStored(holder);
        if (left_ms > 0 && !(process && isGone(process))) continue;
        if (signal.aborted || isClosed()) return;
        yield nameFromStored(session_id);
      }
      await woken;
    } finally {
      clearTimeout(timer);
      stop();
    }
  }
}
