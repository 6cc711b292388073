/**
 * A turn as server-sent events. A client that hangs up ends the stream and not the turn. The comments in
 * between keep proxies from closing a stream while a tool takes its time.
 */
import type { TurnEvent } from "./client/protocol.js";

const PING_MILLISECONDS = 15_000;

export function eventStream(run: (tell: (event: TurnEvent) => void) => Promise<void>): Response {
  const encoder = new TextEncoder();
  let hungUp = false;
  let ping: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (!hungUp) controller.enqueue(encoder.encode(text));
      };
      ping = setInterval(() => write(": ping\n\n"), PING_MILLISECONDS).unref();
      let eventId = 0;
      const tell = ({ event, data }: TurnEvent) => {
        eventId += 1;
        write(`id: ${eventId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      };
      const end = () => {
        clearInterval(ping);
        if (!hungUp) controller.close();
      };
      // Not returned: the stream would take nothing before all of it was there.
      void run(tell).then(end, end);
    },
    cancel() {
      hungUp = true;
      clearInterval(ping);
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" },
  });
}
