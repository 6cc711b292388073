/** Reads a line in the footer. Undefined when the person goes back with Escape or Ctrl-C. */
import { rows } from "../../view/visible-line.js";
import type { ChatFooter, Layer } from "./chat-footer.js";
import { inputRows } from "./input-rows.js";
import { edited, EMPTY_INPUT, inserted } from "./text-input.js";
import { TypingPause } from "./typing-pause.js";

/** `isUnexpected`: it appears without a key of the person's, who may be typing a message. */
export function readLine(
  footer: ChatFooter,
  { prompt, isUnexpected = false }: { readonly prompt: string; readonly isUnexpected?: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let input = EMPTY_INPUT;
    const pause = isUnexpected ? new TypingPause(footer) : undefined;
    const onAbort = (): void => {
      pause?.close();
      release();
      reject(signal.reason);
    };
    const end = (text: string | undefined): void => {
      pause?.close();
      signal.removeEventListener("abort", onAbort);
      release();
      resolve(text);
    };
    const layer: Layer = {
      rows: (width, maxRows) => {
        const above = rows(prompt.trimEnd(), { first: "", next: "  " }, width);
        const typed = inputRows(input, { width, maxRows, prompt: "> " });
        return {
          rows: [...above, ...typed.rows],
          cursor: { ...typed.cursor, row: typed.cursor.row + above.length },
        };
      },
      onKey: (key) => {
        const isTyping = pause?.isOver === false && input === EMPTY_INPUT;
        if (isTyping) footer.passDown(layer, key);
        else if (key.type !== "key") input = inserted(input, key.text);
        else if (key.name === "enter") end(input.text);
        else if (key.name === "escape" || key.name === "ctrl-c") end(undefined);
        else input = edited(input, key.name) ?? input;
      },
    };
    const release = footer.push(layer);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
