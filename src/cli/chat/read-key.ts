/** Reads one key in the footer, which answers. Other keys are typing: they go to the message, which is shown below. */
import { rows } from "../../view/visible-line.js";
import type { ChatFooter, Layer } from "./chat-footer.js";
import { TypingPause } from "./typing-pause.js";

/** `prompt` as it is at each drawing; `keys`: the keys that count. Escape and Ctrl-C call `onCancel`. */
export function readKey(
  footer: ChatFooter,
  { prompt, keys }: { readonly prompt: () => string; readonly keys: ReadonlySet<string> },
  { signal, onCancel }: { readonly signal: AbortSignal; readonly onCancel: () => void },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const pause = new TypingPause(footer);
    /** Whether a message was started here: Enter then queues it. */
    let isWriting = false;
    const end = (settle: () => void): void => {
      pause.close();
      signal.removeEventListener("abort", onAbort);
      release();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal.reason));
    const layer: Layer = {
      rows: (width, maxRows) => {
        const shown = rows(
          pause.isOver ? prompt().trimEnd() : isWriting ? WRITING : "…",
          { first: "", next: "  " },
          width - 1,
        );
        const last = shown.length - 1;
        const cursor = { row: last, before: `${shown[last] ?? ""} ` };
        const typed = footer.rowsBelow(layer, width, maxRows);
        if (!typed) return { rows: shown, cursor };
        const inTyped = { ...typed.cursor, row: shown.length + typed.cursor.row };
        return { rows: [...shown, ...typed.rows], cursor: pause.isOver ? cursor : inTyped };
      },
      onKey: (key) => {
        const isClearing = isWriting && key.type === "key" && key.name === "ctrl-c";
        const isCancel = key.type === "key" && (key.name === "escape" || key.name === "ctrl-c");
        if (isCancel && !isClearing) return onCancel();
        const isAnswer = key.type === "text" && keys.has(key.text) && pause.isOver;
        if (isAnswer) return end(() => resolve(key.text));
        const isIdle = key.type === "key" && pause.isOver && !isWriting;
        if (isIdle && PASSED_DOWN.has(key.name)) return footer.passDown(layer, key);
        // Enter alone neither answers nor sends an old draft.
        if (isIdle) return;
        footer.passDown(layer, key);
        isWriting = key.type !== "key" || (isWriting && !isClearing && key.name !== "enter");
        pause.wait();
      },
    };
    const release = footer.push(layer);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Leaving, suspending and another mode answer nothing: the question stays open. */
const PASSED_DOWN: ReadonlySet<string> = new Set(["ctrl-d", "ctrl-z", "back-tab"]);
const WRITING = "Your message: Enter queues it for after this turn. The question comes back when you pause.";
