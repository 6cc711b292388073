/**
 * Reads one key in the footer. A person who types a message when a question appears must not answer it: the question
 * takes keys only after a pause, and until then they go to the message.
 */
import { rows } from "../../view/visible-line.js";
import type { ChatFooter, Layer } from "./chat-footer.js";

/** Nobody reads a question faster. */
const MIN_READ_MS = 300;
/** Someone who types presses the next key sooner. */
const PAUSE_MS = 500;

/** `keys`: the keys that count. Escape and Ctrl-C call `onCancel`. */
export function readKey(
  footer: ChatFooter,
  { prompt, keys }: { readonly prompt: string; readonly keys: ReadonlySet<string> },
  { signal, onCancel }: { readonly signal: AbortSignal; readonly onCancel: () => void },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const shownAt = Date.now();
    let isReady = false;
    const look = (): void => {
      const now = Date.now();
      const readyAt = Math.max(shownAt + MIN_READ_MS, footer.lastKeyAt + PAUSE_MS);
      isReady = now >= readyAt;
      if (isReady) footer.draw();
      else timer = setTimeout(look, readyAt - now);
    };
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      release();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal.reason));
    const layer: Layer = {
      rows: (width) => {
        const text = isReady ? prompt : "…";
        const shown = rows(text.trimEnd(), { first: "", next: "  " }, width - 1);
        const last = shown.length - 1;
        return { rows: shown, cursor: { row: last, before: `${shown[last] ?? ""} ` } };
      },
      onKey: (key) => {
        const isCancel = key.type === "key" && (key.name === "escape" || key.name === "ctrl-c");
        if (isCancel) return onCancel();
        if (!isReady) return footer.passDown(layer, key);
        if (key.type === "text" && keys.has(key.text)) end(() => resolve(key.text));
      },
    };
    let timer = setTimeout(look, MIN_READ_MS);
    const release = footer.push(layer);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
