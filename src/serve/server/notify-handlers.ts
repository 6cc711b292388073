/** Notifications: the ways that are set up, a test of them, and push messages to this browser. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import type { StoredDevice } from "../access/devices.js";
import { pushSubscription } from "../api/notify-bodies.js";
import type { NotifyTest } from "../api/notify-bodies.js";
import { isPushAddress } from "../notify/is-push-address.js";
import { publicVapidKey } from "../notify/vapid.js";
import { bodyOf, done } from "./page-request.js";
import type { PageHandler, PageParts, PageRequest } from "./page-request.js";
import { errorMessage } from "../../call/error-message.js";

type Name = "notifications" | "testNotifications" | "subscribePush" | "unsubscribePush";

const SAMPLE = { questionId: "sample", title: "A test: nothing waits for you" };

export function notifyHandlers({ notices, pageUrl }: PageParts): Readonly<Record<Name, PageHandler>> {
  const { subscriptions, afterMs, ways, pushHosts, notifiers } = notices;
  return {
    notifications: async ({ device }) => {
      const publicKey = publicVapidKey(await subscriptions.keys());
      const isOn = subscriptions.list().some(({ deviceId }) => deviceId === device?.deviceId);
      return Response.json({ afterMs, ways, push: { publicKey, isOn } });
    },
    testNotifications: async () => {
      const results = notifiers().map(async ({ name, send }): Promise<NotifyTest["results"][number]> => {
        try {
          await send({ ...SAMPLE, url: pageUrl() });
          return { name };
        } catch (error) {
          return { name, problem: errorMessage(error) };
        }
      });
      return Response.json({ results: await Promise.all(results) });
    },
    subscribePush: async (request) => {
      const { deviceId } = deviceOf(request);
      const subscription = await bodyOf(request, pushSubscription);
      if (!isPushAddress(subscription.endpoint, pushHosts))
        throw new AapProblem(
          "BAD_REQUEST",
          `${new URL(subscription.endpoint).host} is no known push service. Add it to notify.pushHosts in config.json if it is yours. Nothing was stored.`,
        );
      await subscriptions.add(deviceId, subscription);
      return done();
    },
    unsubscribePush: async (request) => {
      const { deviceId } = deviceOf(request);
      await subscriptions.remove((one) => one.deviceId === deviceId);
      return done();
    },
  };
}

function deviceOf({ device }: PageRequest): StoredDevice {
  if (device) return device;
  throw new AapProblem(
    "FORBIDDEN",
    "Push messages are for the browsers of paired devices. Nothing was done.",
  );
}
