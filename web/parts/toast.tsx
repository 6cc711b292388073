/** One short message: what was done, or what was not. */
import { useEffect } from "preact/hooks";
import type { Route } from "../read-route.js";
import { route } from "../route.js";
import { Store, useStore } from "../store.js";
import { Icon, type IconName } from "./icon.js";
import { Visible } from "./visible.js";

type Message = { readonly text: string; readonly icon: IconName; readonly at: number };

const message = new Store<Message | undefined>(undefined);
const SHOWN_MS = 6_000;
/** An act that leads to another view says there what was done. */
const LED_MS = 1_000;

export function showToast(text: string, icon: IconName = "done"): void {
  message.set({ text, icon, at: performance.now() });
}

export function Toast() {
  const shown = useStore(message, (value) => value);
  const here = useStore(route, placeOf);
  useEffect(() => {
    message.update((one) => (one && performance.now() - one.at < LED_MS ? one : undefined));
  }, [here]);
  useEffect(() => {
    if (!shown) return undefined;
    const timer = setTimeout(() => message.set(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div class="toasts" aria-live="polite">
      {shown && (
        <div class="note toast">
          <Icon name={shown.icon} />
          <span>
            <Visible text={shown.text} isOneLine />
          </span>
        </div>
      )}
    </div>
  );
}

/** The next question of the inbox is the same place. */
const placeOf = (here: Route): string =>
  here.view === "session" || here.view === "replay" ? `${here.view} ${here.sessionId}` : here.view;
