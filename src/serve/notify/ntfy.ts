/** Notifications by ntfy: a topic on ntfy.sh or on a server of one's own, read by an app on the phone. */
import type { NotifyConfig } from "../../settings/index.js";
import { HEADLINE } from "./notice.js";
import type { Notifier } from "./notice.js";
import { postNotice } from "./post-notice.js";

type NtfyConfig = NonNullable<NotifyConfig["ntfy"]>;

const HIGH_PRIORITY = 4;

export function ntfy({ topic, token }: NtfyConfig): Notifier {
  const address = new URL(topic);
  const parts = address.pathname.split("/").filter(Boolean);
  const name = decodeURIComponent(parts.pop() ?? "");
  // JSON goes to the address above the topic; headers could not carry every character of a title.
  const url = new URL(`/${parts.join("/")}`, address.origin).href;
  return {
    name: `ntfy at ${address.host}`,
    send: (notice) =>
      postNotice({
        url,
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          topic: name,
          title: HEADLINE,
          message: notice.title,
          click: notice.url,
          priority: HIGH_PRIORITY,
          actions: [{ action: "view", label: "Look and answer", url: notice.url, clear: true }],
        }),
      }),
  };
}
