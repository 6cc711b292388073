/**
 * A session's own events as they are recorded, from any source: an extension of ours. The iterator runs until the signal aborts; a
 * connection that breaks is resumed where it was, and no event comes twice.
 */
import type { SessionEvent } from "../../call/index.js";
import { AapError } from "./aap-error.js";
import type { Connection } from "./connection.js";
import { readSse } from "./read-sse.js";
import { readTurnEvent } from "./read-turn-event.js";
import { isTransient, Retries } from "./retries.js";
import { SseParser } from "./sse-parser.js";

/** `id` is what `after` takes. */
export type RecordedSessionEvent = { readonly id: string; readonly event: SessionEvent };

export type FollowOptions = {
  /** Only events after the one with this id. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** The model's provider failed, and its request is sent again: comes live only, and not from every server. */
  readonly onModelRetry?: (message: string) => void;
};

export async function* followSession(
  connection: Connection,
  path: string,
  { after, signal, onModelRetry }: FollowOptions = {},
): AsyncGenerator<RecordedSessionEvent, void, undefined> {
  const retries = new Retries();
  let last = after;
  let isFirst = true;
  for (;;) {
    const parser = new SseParser();
    let failure = new AapError("STREAM_CUT", "The stream of the session's events ended.");
    try {
      const headers = { ...(last !== undefined && { "last-event-id": last }) };
      const response = await connection.send("GET", path, { headers, signal });
      const body = bodyOf(response);
      retries.succeeded();
      for await (const frame of readSse(body, parser, { silence: connection.silence, signal })) {
        const notice = frame.event === "model_retry" ? readTurnEvent(frame) : undefined;
        if (notice?.event === "model_retry") onModelRetry?.(notice.data.message);
        if (frame.id === undefined || frame.id === last) continue;
        last = frame.id;
        yield { id: frame.id, event: sessionEvent(frame.data) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      // The error of a broken body differs between platforms.
      if (error instanceof AapError) failure = error;
      const isRefused = failure.code === "REFUSED" && (isFirst || !isTransient(failure));
      if (isRefused || failure.code === "NOT_AAP" || (isFirst && failure.code === "UNREACHABLE"))
        throw failure;
    }
    isFirst = false;
    await retries.pause(failure, { retry: parser.retry, signal });
  }
}

function sessionEvent(data: string): SessionEvent {
  try {
    // The server of this extension is ours, and so are its events.
    return JSON.parse(data) as SessionEvent;
  } catch {
    throw new AapError("NOT_AAP", "The server sent an event of a session that is not JSON.");
  }
}

function bodyOf({ body, headers, status }: Response): ReadableStream<Uint8Array> {
  if (body && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return body;
  throw new AapError("NOT_AAP", "The server answered with something that is not an event stream.", {
    status,
  });
}
