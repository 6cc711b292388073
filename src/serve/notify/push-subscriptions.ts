/** The browsers that get push messages, in `push.json`, each for one paired device; and the key that signs for us. */
import { join } from "node:path";
import { z } from "zod";
import { StoredFile } from "../../settings/stored-file.js";
import type { PushSubscription } from "../api/notify-bodies.js";
import { newVapidKeys } from "./vapid.js";
import type { VapidKeys } from "./vapid.js";

const pushFile = () =>
  z.looseObject({
    version: z.literal(1),
    keys: z.object({ x: z.string(), y: z.string(), d: z.string() }).optional(),
    subscriptions: z.array(
      z.looseObject({
        deviceId: z.string(),
        endpoint: z.string(),
        keys: z.object({ p256dh: z.string(), auth: z.string() }),
      }),
    ),
  });

type PushFile = z.output<ReturnType<typeof pushFile>>;
export type StoredSubscription = PushFile["subscriptions"][number];

const MAX_SUBSCRIPTIONS = 100;

export class PushSubscriptions {
  readonly #file: StoredFile<PushFile>;

  constructor(folder: string) {
    this.#file = new StoredFile(join(folder, "push.json"), {
      schema: pushFile,
      empty: { version: 1, subscriptions: [] },
    });
  }

  list(): readonly StoredSubscription[] {
    const state = this.#file.current();
    return state.state === "good" ? state.value.subscriptions : [];
  }

  /** Makes them when they are asked for the first time. */
  keys(): Promise<VapidKeys> {
    return this.#file.change((file) => {
      if (file.keys) return { result: file.keys };
      const keys = newVapidKeys();
      return { value: { ...file, keys }, result: keys };
    });
  }

  /** Replaces the one that the device had. */
  add(deviceId: string, { endpoint, keys }: PushSubscription): Promise<void> {
    return this.#file.change((file) => {
      const others = file.subscriptions.filter(
        (one) => one.deviceId !== deviceId && one.endpoint !== endpoint,
      );
      const subscriptions = [...others.slice(1 - MAX_SUBSCRIPTIONS), { deviceId, endpoint, keys }];
      return { value: { ...file, subscriptions }, result: undefined };
    });
  }

  /** Removes those that match. */
  remove(isOld: (one: StoredSubscription) => boolean): Promise<void> {
    return this.#file.change((file) => {
      const subscriptions = file.subscriptions.filter((one) => !isOld(one));
      if (subscriptions.length === file.subscriptions.length) return { result: undefined };
      return { value: { ...file, subscriptions }, result: undefined };
    });
  }
}
