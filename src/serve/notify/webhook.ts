/**
 * Notifications by a signed request to an address of the user's, as Standard Webhooks describes them: the receiver checks
 * `webhook-signature` with the shared secret, and `webhook-timestamp` against replays.
 */
import { createHmac, randomUUID } from "node:crypto";
import type { NotifyConfig } from "../../settings/index.js";
import type { Notice, Notifier } from "./notice.js";
import { postNotice } from "./post-notice.js";

type WebhookConfig = NonNullable<NotifyConfig["webhook"]>;

const SECRET_PREFIX = "whsec_";

export function webhook({ url, secret }: WebhookConfig, now: () => number = Date.now): Notifier {
  // A second attempt has the id of the first: the receiver may have taken that one and answered too late.
  const ids = new WeakMap<Notice, string>();
  return {
    name: `webhook at ${new URL(url).host}`,
    send: (notice) => {
      const { questionId, title, url: link } = notice;
      const id = ids.get(notice) ?? `msg_${randomUUID()}`;
      ids.set(notice, id);
      const seconds = String(Math.floor(now() / 1_000));
      const body = JSON.stringify({
        type: "question.asked",
        timestamp: new Date(now()).toISOString(),
        data: { questionId, title, url: link },
      });
      return postNotice({
        url,
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": seconds,
          "webhook-signature": `v1,${signature(secret, `${id}.${seconds}.${body}`)}`,
        },
        body,
      });
    },
  };
}

/** A secret with the prefix is Base64, any other one is taken as it is. */
function signature(secret: string, text: string): string {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
  return createHmac("sha256", key).update(text).digest("base64");
}
