/** Sends a response to one subscriber: live while the subscriber keeps up, else from the log. */
import type { EventId } from "../stream/event-id.js";
import { followResponse } from "../stream/follow-response.js";
import type { ResponseSource } from "../stream/follow-response.js";
import type { LiveResponse } from "../stream/live-response.js";
import type { SendResponse } from "../stream/in-stream-mode.js";
import { deliverLive, Subscription } from "../stream/subscriber.js";

/** Starts the response once the subscriber listens. */
export function sendNew(
  source: ResponseSource,
  response: LiveResponse,
  begin: () => Promise<void>,
  after: EventId | undefined,
): SendResponse {
  let start: typeof begin | undefined = begin;
  const beginOnce = async () => {
    const run = start;
    // A slow reader must not keep in memory the session that the response is about.
    start = undefined;
    await run?.();
  };
  return async (subscriber) => {
    const subscription = new Subscription(subscriber, after);
    await deliverLive(response, subscription, subscriber, beginOnce);
    if (!subscription.isOver) await followResponse(source, response.start, subscription, subscriber);
  };
}

/** The response that begins after the event `start`, which may be over, under way, or abandoned. */
export function sendAgain(source: ResponseSource, start: number, after: EventId | undefined): SendResponse {
  return (subscriber) => followResponse(source, start, new Subscription(subscriber, after), subscriber);
}
