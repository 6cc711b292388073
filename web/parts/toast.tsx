/** One short message: what was done, or what was not. */
import { useEffect } from "preact/hooks";
import { Store, useStore } from "../store.js";
import { Icon, type IconName } from "./icon.js";
import { Visible } from "./visible.js";

type Message = { readonly text: string; readonly icon: IconName };

const message = new Store<Message | undefined>(undefined);
const SHOWN_MS = 6_000;

export function showToast(text: string, icon: IconName = "done"): void {
  message.set({ text, icon });
}

export function Toast() {
  const shown = useStore(message, (value) => value);
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
