/** Sends a turn's request once, and yields the events that were not received before. */
import { AapError } from "./aap-error.js";
import type { Connection } from "./connection.js";
import { eventsFromMessages } from "./events-from-messages.js";
import type { HistoryMessage, TurnEvent, TurnRequest, TurnResult } from "./protocol.js";
import { readSse } from "./read-sse.js";
import { readTurnEvent } from "./read-turn-event.js";
import { SseParser } from "./sse-parser.js";

/** How far a turn was received. */
export type Place = {
  readonly seen: Set<string>;
  firstEventId: string | undefined;
  lastEventId: string | undefined;
  /** Milliseconds that the server asks a client to wait before it reconnects. */
  retry: number | undefined;
  /** The messages, when the server sends them whole. */
  messages: readonly HistoryMessage[] | undefined;
};

export type Attempt = {
  readonly connection: Connection;
  readonly path: string;
  /** Without one, an earlier turn is only received. */
  readonly request: TurnRequest | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly place: Place;
};

export async function* attemptTurn(attempt: Attempt): AsyncGenerator<TurnEvent, void, undefined> {
  const { connection, path, request, idempotencyKey, signal, place } = attempt;
  const headers = {
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(place.lastEventId !== undefined && { "last-event-id": place.lastEventId }),
  };
  const response = await (request
    ? connection.send("POST", path, { body: request, headers, signal })
    : connection.send("GET", path, { headers, signal }));
  // Servers without streams answer with the whole turn, in every mode.
  if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
    const { messages, ...stop } = await connection.read<TurnResult>(response, signal);
    if (!Array.isArray(messages) || typeof stop.stopReason !== "string")
      throw new AapError("NOT_AAP", "The server's answer to a turn has no messages or no stop reason.");
    place.messages = messages;
    yield* eventsFromMessages(messages, stop);
  } else if (response.body) yield* streamed(response.body, attempt);
}

async function* streamed(
  body: ReadableStream<Uint8Array>,
  { connection, signal, place }: Attempt,
): AsyncGenerator<TurnEvent, void, undefined> {
  const parser = new SseParser();
  try {
    for await (const frame of readSse(body, parser, { silence: connection.silence, signal })) {
      place.retry = parser.retry;
      if (frame.id !== undefined) {
        if (place.seen.has(frame.id)) continue;
        place.seen.add(frame.id);
        place.firstEventId ??= frame.id;
        place.lastEventId = frame.id;
      }
      const event = readTurnEvent(frame);
      if (event) yield event;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof AapError ? error : new AapError("STREAM_CUT", "The connection broke.");
  }
}
