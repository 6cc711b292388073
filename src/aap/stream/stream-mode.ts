/** A turn in the mode that the app wants it in: as deltas, as whole messages, or all of it at the end. */
import { messagesFromEvents } from "../client/messages-from-events.js";
import type { StreamMode, TurnEvent, TurnResult } from "../client/protocol.js";
import { idText } from "./event-id.js";
import { eventStream, frame } from "./event-stream.js";
import type { OpenOutlet, SseSink } from "./event-stream.js";
import type { Listener } from "./live-response.js";
import type { ToldTurn } from "../turns/turn-engine.js";

const WHOLE: ReadonlySet<string> = new Set(["text", "thinking"]);
const DELTAS: ReadonlySet<string> = new Set(["text_delta", "thinking_delta"]);

const NOT_IN_MODE: { readonly [mode in StreamMode]: ReadonlySet<string> } = {
  delta: WHOLE,
  message: DELTAS,
  none: DELTAS,
};

export async function toldAs(
  mode: StreamMode,
  turn: ToldTurn,
  onError: (error: unknown) => void,
  stream?: OpenOutlet,
): Promise<Response> {
  if (mode === "none") return Response.json(await wholeTurn(turn));
  const left = NOT_IN_MODE[mode];
  const run = ({ write, ...sink }: SseSink) => {
    const listener: Listener = (told) => {
      let frames = "";
      for (const one of told) {
        const { event, data } = one.told;
        if (!left.has(event)) frames += frame(idText(one), event, data);
      }
      if (frames !== "") write(frames);
    };
    return turn({ ...sink, listener });
  };
  return eventStream(run, onError, stream);
}

async function wholeTurn(turn: ToldTurn): Promise<TurnResult> {
  const events: TurnEvent[] = [];
  const left = NOT_IN_MODE.none;
  const listener: Listener = (told) => {
    for (const one of told) if (!left.has(one.told.event)) events.push(one.told);
  };
  const { signal } = new AbortController();
  await turn({ listener, signal, isBehind: () => false, drained: async () => undefined });
  const stop = events.findLast((event) => event.event === "turn_stop");
  return { stopReason: "error", ...stop?.data, messages: messagesFromEvents(events) };
}
