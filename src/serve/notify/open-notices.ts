/** The ways of the settings and the subscribed browsers, as one list of notifiers. */
import type { NotifyConfig } from "../../settings/index.js";
import type { ServeContext } from "../server/serve-context.js";
import type { Notifier } from "./notice.js";
import { ntfy } from "./ntfy.js";
import { PushSubscriptions } from "./push-subscriptions.js";
import { webhook } from "./webhook.js";
import { webPush } from "./web-push.js";

/** `folder`: that of `push.json`. */
export type NotifySettings = NotifyConfig & { readonly folder: string };

export type Notices = {
  readonly afterMs: number;
  readonly url: string | undefined;
  readonly pushHosts: readonly string[];
  readonly subscriptions: PushSubscriptions;
  /** The names of the ways that are set up. */
  readonly ways: readonly string[];
  readonly notifiers: () => readonly Notifier[];
};

const AFTER_S = 5;
const NO_CONTACT = "mailto:toolgate@example.com";

export function openNotices(
  settings: NotifySettings,
  { devices, now }: Pick<ServeContext, "devices" | "now">,
): Notices {
  const { folder, url, afterSeconds = AFTER_S, pushHosts = [], contact = NO_CONTACT } = settings;
  const subscriptions = new PushSubscriptions(folder);
  const fixed = [
    ...(settings.ntfy ? [ntfy(settings.ntfy)] : []),
    ...(settings.webhook ? [webhook(settings.webhook, now)] : []),
  ];
  return {
    afterMs: afterSeconds * 1_000,
    url,
    pushHosts,
    subscriptions,
    ways: fixed.map(({ name }) => name),
    notifiers: () => [...fixed, ...webPush({ subscriptions, devices, contact, now })],
  };
}
