/** A list in the footer, to pick one by arrow keys or by typing a part of it. Undefined after Escape. */
import { clipped } from "../../view/index.js";
import { styled } from "../../view/styled-text.js";
import type { ChatFooter, Layer } from "./chat-footer.js";
import { inputRows } from "./input-rows.js";
import { edited, EMPTY_INPUT, inserted } from "./text-input.js";

export type Choice<Value> = { readonly value: Value; readonly label: string };

const MAX_SHOWN = 8;
const HINT = "↑ ↓ choose · Enter takes it · type to search · Esc goes back";

export function pickOne<Value>(
  footer: ChatFooter,
  title: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    let input = EMPTY_INPUT;
    let chosen = 0;
    const found = (): readonly Choice<Value>[] => {
      const words = input.text.toLowerCase().split(/\s+/);
      return choices.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
    };
    const end = (value: Value | undefined): void => {
      release();
      resolve(value);
    };
    const layer: Layer = {
      rows: (width, maxRows) => {
        const all = found();
        const count = Math.min(MAX_SHOWN, Math.max(1, maxRows - 3));
        const first = Math.max(0, Math.min(chosen - Math.floor(count / 2), all.length - count));
        const list = all.slice(first, first + count).map(({ label }, index) => {
          const row = clipped(`${first + index === chosen ? "→" : " "} ${label}`, width);
          return first + index === chosen ? styled(row, "bold") : row;
        });
        const typed = inputRows(input, { width, maxRows: 1, prompt: `${title} ` });
        const place = all.length > list.length ? ` · ${chosen + 1} of ${all.length}` : "";
        return {
          rows: [
            ...typed.rows,
            ...(all.length === 0 ? ["  nothing matches"] : list),
            styled(clipped(`  ${HINT}${place}`, width), "dim"),
          ],
          cursor: typed.cursor,
        };
      },
      onKey: (key) => {
        const last = found().length - 1;
        if (key.type !== "key") {
          input = inserted(input, key.text.replaceAll("\n", " "));
          chosen = 0;
        } else if (key.name === "up") chosen = Math.max(0, chosen - 1);
        else if (key.name === "down" || key.name === "tab") chosen = Math.min(last, chosen + 1);
        else if (key.name === "enter") end(found()[chosen]?.value);
        else if (key.name === "escape" || key.name === "ctrl-c") end(undefined);
        else if (key.name !== "newline") {
          input = edited(input, key.name) ?? input;
          chosen = 0;
        }
      },
    };
    const release = footer.push(layer);
  });
}
