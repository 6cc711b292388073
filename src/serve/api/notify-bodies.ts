/** Notifications of questions: which ways are set up, and push messages to this browser. */
import { z } from "zod";

export const notifications = z.object({
  afterMs: z.number().describe("How long a question waits for an answer before a notification is sent."),
  ways: z.array(z.string()).describe("The ways in the settings: `ntfy at push.example`."),
  push: z.object({
    publicKey: z.string().describe("The server's key, which a browser subscribes with."),
    isOn: z.boolean().describe("Whether this device gets push messages."),
  }),
});
export type Notifications = z.output<typeof notifications>;

/** 65 and 16 bytes. */
const PUBLIC_KEY = /^[\w-]{87}=?$/;
const AUTH_SECRET = /^[\w-]{22}(?:==)?$/;

/** As `PushSubscription.toJSON()` of a browser gives it. */
export const pushSubscription = z.object({
  endpoint: z.url().max(1_000),
  keys: z.object({ p256dh: z.string().regex(PUBLIC_KEY), auth: z.string().regex(AUTH_SECRET) }),
});
export type PushSubscription = z.output<typeof pushSubscription>;

/** One line for each way and browser. */
export const notifyTest = z.object({
  results: z.array(
    z.object({ name: z.string(), problem: z.string().describe("Why nothing was sent.").exactOptional() }),
  ),
});
export type NotifyTest = z.output<typeof notifyTest>;
