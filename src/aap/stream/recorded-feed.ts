/**
 * The events that are recorded in a session that is open here, with their numbers in the log. Where the store redacts
 * what it is given, the events are read back from it: a client gets what a later reader of the log will find.
 */
import type { SessionHandle } from "../../agent/index.js";
import { readAll } from "../../call/index.js";
import type { RecordedEvent, SessionBook } from "../../call/index.js";
import { bookOfLog, foldStored } from "../../call/ledger.js";

export type RecordedFeed = {
  /** The session that the events add up to; it may be ahead of the last event that was handed on. */
  readonly book: SessionBook;
  /** Resolves when everything that is recorded by now was handed on. */
  readonly settle: () => Promise<void>;
  readonly end: () => void;
};

type FeedSource = Pick<SessionHandle, "sessionId" | "seq" | "book" | "ledger" | "onRecorded">;
type OnRecorded = (recorded: readonly RecordedEvent[]) => void;

export function openRecordedFeed(
  session: FeedSource,
  log: readonly RecordedEvent[],
  isRedacted: boolean,
  onRecorded: OnRecorded,
): RecordedFeed {
  return isRedacted ? readBack(session, log, onRecorded) : direct(session, onRecorded);
}

function direct(session: FeedSource, onRecorded: OnRecorded): RecordedFeed {
  const end = session.onRecorded((events) => {
    const first = session.seq - events.length + 1;
    onRecorded(events.map((event, index) => ({ seq: first + index, event })));
  });
  return { book: session.book, settle: async () => undefined, end };
}

function readBack(session: FeedSource, log: readonly RecordedEvent[], onRecorded: OnRecorded): RecordedFeed {
  const { ledger, sessionId } = session;
  const book = bookOfLog(sessionId, log);
  let last = log.at(-1)?.seq ?? 0;
  let reading: Promise<void> = Promise.resolve();
  const readNew = async () => {
    const recorded = await readAll(ledger, sessionId, { after: last });
    last = recorded.at(-1)?.seq ?? last;
    foldStored(book, recorded);
    onRecorded(recorded);
  };
  const readMore = () => {
    reading = reading.then(readNew, readNew);
    // `settle` reports a failure.
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
