/**
 * Hears what is recorded of a session that is open here, with the numbers that it has in the log. Where the store
 * redacts what it is given, what was stored is read back: the app is told what a later reader will find.
 */
import type { HeldSession } from "../agent/index.js";
import { readAll, SessionBook } from "../call/index.js";
import type { RecordedEvent } from "../call/index.js";

export type Hearing = {
  /** The session as what is heard adds up to it; it may be ahead of that. */
  readonly book: SessionBook;
  /** Returns when all that is recorded by now was heard. */
  readonly settle: () => Promise<void>;
  readonly end: () => void;
};

type Heard = Pick<HeldSession, "sessionId" | "seq" | "book" | "ledger" | "onRecorded">;

export function hearRecorded(
  session: Heard,
  log: readonly RecordedEvent[],
  isRedacted: boolean,
  take: (recorded: readonly RecordedEvent[]) => void,
): Hearing {
  return isRedacted ? readBack(session, log, take) : asItCame(session, take);
}

function asItCame(session: Heard, take: (recorded: readonly RecordedEvent[]) => void): Hearing {
  const end = session.onRecorded((events) => {
    const first = session.seq - events.length + 1;
    take(events.map((event, index) => ({ seq: first + index, event })));
  });
  return { book: session.book, settle: async () => undefined, end };
}

function readBack(
  session: Heard,
  log: readonly RecordedEvent[],
  take: (recorded: readonly RecordedEvent[]) => void,
): Hearing {
  const { ledger, sessionId } = session;
  const book = new SessionBook(
    sessionId,
    log.map(({ event }) => event),
  );
  let last = log.at(-1)?.seq ?? 0;
  let reading: Promise<void> = Promise.resolve();
  const readNew = async () => {
    const recorded = await readAll(ledger, sessionId, { after: last });
    last = recorded.at(-1)?.seq ?? last;
    book.applyAll(recorded.map(({ event }) => event));
    take(recorded);
  };
  const readMore = () => {
    reading = reading.then(readNew, readNew);
    // Who waits for all of it is told.
    reading.catch(() => undefined);
  };
  const end = session.onRecorded(readMore);
  return {
    book,
    settle: async () => {
      readMore();
      await reading;
    },
    end,
  };
}
