/** Names the sessions of a place that somebody must go on with and nobody holds. */
import { isGone } from "../../process/process-identity.js";
import { holderFromStored } from "../lease-rules.js";
import { nameFromStored, storedName } from "../stored-json.js";
import type { LedgerContext } from "./ledger-context.js";
import { LOOK_MS } from "./session-followers.js";
import type { SessionFollowers } from "./session-followers.js";

/** A look after the end of a lease, not at it. */
const LEASE_END_MARGIN_MS = 10;
/** How soon a renewed lease is seen: by then, and by its length, its end is known whatever becomes of the server's clock. */
const LOOK_AT_HELD_MS = 400;
/** For one look; free sessions come first, and the rest at later looks. */
const MAX_WORK = 500;

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
  const { sql, statements, time, seenLeases } = context;
  while (!signal.aborted && !isClosed()) {
    const { woken, stop } = followers.listenForWork(signal);
    let timer = setTimeout(stop, LOOK_MS).unref();
    try {
      const sentAt = performance.now();
      // A server that cannot be reached now is asked again at the next look.
      const rows = await sql.run(statements.work, time(), storedName(place), MAX_WORK).catch(() => undefined);
      const left = seenLeases.look(rows ?? [], { sentAt, answeredAt: performance.now() });
      const nextEndMs = Math.min(...left.filter((ms) => ms > 0)) + LEASE_END_MARGIN_MS;
      const isHeld = left.some((ms) => ms > 0);
      clearTimeout(timer);
      timer = setTimeout(stop, isHeld || !rows ? Math.min(LOOK_AT_HELD_MS, nextEndMs) : LOOK_MS).unref();
      for (const [index, { session_id, holder }] of (rows ?? []).entries()) {
        const process = holder === null ? undefined : holderFromStored(holder);
        if (left[index] !== 0 && !(process && isGone(process))) continue;
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
