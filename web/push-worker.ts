/** Runs while the page is closed: shows a push message as a notification, and opens the page at its question. */

/** The parts of the service worker's global scope that are used here; the DOM's types have none of them. */
type ServiceWorkerScope = {
  readonly registration: { showNotification(title: string, options: NotificationOptions): Promise<void> };
  readonly clients: {
    matchAll(query: {
      type: "window";
    }): Promise<readonly { navigate(url: string): Promise<unknown>; focus(): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: "push", listener: (event: PushMessage) => void): void;
  addEventListener(type: "notificationclick", listener: (event: Click) => void): void;
};
type PushMessage = { readonly data: { json(): unknown } | null; waitUntil(work: Promise<unknown>): void };
type Click = { readonly notification: Notification; waitUntil(work: Promise<unknown>): void };

// The global scope of a service worker.
const serviceWorker = globalThis as unknown as ServiceWorkerScope;

serviceWorker.addEventListener("push", (event) => {
  const { questionId, title } = messageIn(event);
  event.waitUntil(
    serviceWorker.registration.showNotification("Toolgate: an agent waits for your answer", {
      body: title,
      tag: questionId,
      data: questionId,
      requireInteraction: true,
    }),
  );
});

serviceWorker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(`/q/${encodeURIComponent(String(event.notification.data))}`));
});

async function show(path: string): Promise<void> {
  const [open] = await serviceWorker.clients.matchAll({ type: "window" });
  if (!open) return void (await serviceWorker.clients.openWindow(path));
  await open.navigate(path);
  await open.focus();
}

/** The server encrypts it for this browser; all the same its texts are only shown. */
function messageIn({ data }: PushMessage): { readonly questionId: string; readonly title: string } {
  const message: unknown = data?.json();
  return { questionId: textIn(message, "questionId"), title: textIn(message, "title") };
}

function textIn(message: unknown, name: string): string {
  const value: unknown = typeof message === "object" && message ? Reflect.get(message, name) : undefined;
  return typeof value === "string" ? value : "";
}
