/** Push messages to the browsers of paired devices, also while the page is closed. They carry the question's id and title. */
import type { Devices } from "../access/devices.js";
import { encryptPush } from "./encrypt-push.js";
import type { Notifier } from "./notice.js";
import { NotSent, postNotice } from "./post-notice.js";
import type { PushSubscriptions, StoredSubscription } from "./push-subscriptions.js";
import { vapidHeader } from "./vapid.js";

/** A push service keeps a message this long for a browser that is off. */
const LIFETIME_S = 60 * 60;
const MAX_TITLE = 200;
const GONE = new Set([404, 410]);

export type WebPushOptions = {
  readonly subscriptions: PushSubscriptions;
  readonly devices: Pick<Devices, "list">;
  readonly contact: string;
  readonly now: () => number;
};

/** One notifier for each browser whose device is still paired. */
export function webPush(options: WebPushOptions): readonly Notifier[] {
  const names = new Map(options.devices.list().map(({ deviceId, name }) => [deviceId, name]));
  return options.subscriptions.list().flatMap((subscription) => {
    const name = names.get(subscription.deviceId);
    return name === undefined ? [] : [{ name: `push to ${name}`, send: pushTo(subscription, options) }];
  });
}

function pushTo(
  { endpoint, keys }: StoredSubscription,
  { subscriptions, contact, now }: WebPushOptions,
): Notifier["send"] {
  return async ({ questionId, title }) => {
    const vapid = await subscriptions.keys();
    const message = JSON.stringify({ questionId, title: title.slice(0, MAX_TITLE) });
    try {
      await postNotice({
        url: endpoint,
        headers: {
          authorization: vapidHeader(vapid, { endpoint, contact, nowMs: now() }),
          "content-encoding": "aes128gcm",
          "content-type": "application/octet-stream",
          ttl: String(LIFETIME_S),
          urgency: "high",
        },
        body: encryptPush(message, keys),
      });
    } catch (error) {
      if (!(error instanceof NotSent) || !GONE.has(error.status ?? 0)) throw error;
      // The browser has ended its subscription.
      await subscriptions.remove((one) => one.endpoint === endpoint);
    }
  };
}
