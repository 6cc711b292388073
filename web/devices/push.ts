/** Push messages to this browser, also while the page is closed. */
import { api } from "../api.js";

const WORKER = "/push-worker.js";

/** Browsers offer it only over HTTPS and on this computer. */
export const canPush = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in globalThis && typeof Notification !== "undefined";

/** False where the person does not allow notifications. */
export async function turnPushOn(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made with another key cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = made.toJSON();
  await api.subscribePush({
    endpoint: endpoint ?? "",
    keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
  });
  return true;
}

export async function turnPushOff(): Promise<void> {
  await api.unsubscribePush();
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}
