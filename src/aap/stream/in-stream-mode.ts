/** A turn in the mode that the app asked for: as deltas, as whole messages, or all of it at the end. */
import { messagesFromEvents } from "../client/messages-from-events.js";
import type { StreamMode, TurnEvent, TurnResult } from "../client/protocol.js";
import { idText } from "./event-id.js";
import { eventStream, frame, frameWithoutId } from "./event-stream.js";
import type { OpenSink, SseWriter } from "./event-stream.js";
import type { Listener } from "./live-response.js";
import type { Subscriber } from "./subscriber.js";

/** Sends a response; resolves when all of it was sent, or the client hung up. */
export type SendResponse = (subscriber: Subscriber) => Promise<void>;

const WHOLE: ReadonlySet<string> = new Set(["text", "thinking"]);
const DELTAS: ReadonlySet<string> = new Set(["text_delta", "thinking_delta"]);

const NOT_IN_MODE: { readonly [mode in StreamMode]: ReadonlySet<string> } = {
  delta: WHOLE,
  message: DELTAS,
  none: DELTAS,
};

export async function inStreamMode(
  mode: StreamMode,
  send: SendResponse,
  onError: (error: unknown) => void,
  openSink?: OpenSink,
): Promise<Response> {
  if (mode === "none") return wholeResponse(await wholeTurn(send), openSink);
  const leftOut = NOT_IN_MODE[mode];
  const run = ({ write, ...writer }: SseWriter) => {
    const listener: Listener = (events) => {
      let frames = "";
      for (const one of events) {
        const { event, data } = one.wire;
        if (!leftOut.has(event)) frames += frame(idText(one), event, data);
      }
      if (frames !== "") write(frames);
    };
    const onNotice = ({ event, data }: TurnEvent) => write(frameWithoutId(event, data));
    return send({ ...writer, listener, onNotice });
  };
  return eventStream(run, onError, openSink);
}

/** A text that is written straight to the connection takes a fraction of the time of a `Response`. */
function wholeResponse(result: TurnResult, openSink: OpenSink | undefined): Response {
  if (!openSink) return Response.json(result);
  const text = JSON.stringify(result);
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  const { sink, response } = openSink(headers, { onRead: ignore, onGone: ignore });
  sink.end(text);
  return response;
}

const ignore = (): void => undefined;

async function wholeTurn(send: SendResponse): Promise<TurnResult> {
  const events: TurnEvent[] = [];
  const leftOut = NOT_IN_MODE.none;
  const listener: Listener = (received) => {
    for (const { wire } of received) if (!leftOut.has(wire.event)) events.push(wire);
  };
  await send({ listener, isBehind: () => false, drained: async () => undefined });
  const stop = events.findLast((event) => event.event === "turn_stop");
  return { stopReason: "error", ...stop?.data, messages: messagesFromEvents(events) };
}
