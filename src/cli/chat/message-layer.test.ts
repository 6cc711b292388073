import { expect, test } from "vitest";
import type { KeyName } from "./key-decoder.js";
import { completionOf } from "./completion-of.js";
import { MessageLayer } from "./message-layer.js";
import { withoutStyles } from "../../view/styled-text.js";

/** A message line in a folder with these files. */
function line(...files: readonly string[]) {
  const sent: string[] = [];
  const layer = new MessageLayer({
    onSubmit: (text) => sent.push(text),
    onInterrupt: (key) => sent.push(`<${key}>`),
    onQuit: () => sent.push("<quit>"),
    onSuspend: () => undefined,
    onMode: () => sent.push("<mode>"),
    complete: (input) => completionOf(input, { find: (word) => files.filter((name) => name.includes(word)) }),
    earlier: () => [],
    queued: () => [],
    unqueue: () => undefined,
  });
  const types = (text: string, ...keys: readonly KeyName[]): void => {
    for (const key of text) layer.onKey({ type: "text", text: key });
    for (const name of keys) layer.onKey({ type: "key", name });
  };
  return { layer, types, sent };
}

test("sends a command that is whole, also where another one begins with it", () => {
  const { types, sent } = line();
  types("/mode", "enter");
  types("/model", "enter");
  expect(sent).toEqual(["/mode", "/model"]);
});

test("completes a command and a file with Tab or Enter, and sends with the next Enter", () => {
  const { types, sent } = line("cart.js", "cart.test.js");
  types("/se", "enter", "enter");
  types("look at @car", "down", "tab");
  types("now", "enter");
  expect(sent).toEqual(["/sessions", "look at @cart.test.js now"]);
});

test("clears a typed line by Ctrl-C, and reports Escape and Ctrl-C of an empty one", () => {
  const { types, sent, layer } = line();
  types("half", "ctrl-c");
  expect(layer.isEmpty).toBe(true);
  types("", "ctrl-c", "escape", "ctrl-d");
  expect(sent).toEqual(["<ctrl-c>", "<escape>", "<quit>"]);
});

test("says what each command does while its name is typed", () => {
  const { layer, types } = line();
  types("/s");
  expect(layer.rows(60, 10).rows.map(withoutStyles)).toEqual([
    "> /s",
    "  → /sessions  continue another conversation",
    "    /stop      end the command of the call that you name, a…",
    "    /stats     how often each tool was called in this folde…",
  ]);
});

test("changes the mode with Shift-Tab, also while something is typed", () => {
  const { types, sent } = line();
  types("look at", "back-tab");
  types(" it", "enter");
  expect(sent).toEqual(["<mode>", "look at it"]);
});
