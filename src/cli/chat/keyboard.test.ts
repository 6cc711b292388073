import { EventEmitter } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Key } from "./key-decoder.js";
import { Keyboard } from "./keyboard.js";

test("takes a line end as Enter when it was typed before the terminal was raw", () => {
  const keys: Key[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: () => input,
    resume: () => input,
    pause: () => input,
    setEncoding: () => input,
  });
  // The keyboard uses no other part of a terminal.
  const terminal = { input, write: () => undefined } as unknown as ConstructorParameters<typeof Keyboard>[0];
  const keyboard = new Keyboard(terminal, (key) => keys.push(key));
  keyboard.open();
  onTestFinished(() => keyboard.close());
  input.emit("data", "hello\n");
  input.emit("data", "\n");
  expect(keys).toEqual([
    { type: "text", text: "hello" },
    { type: "key", name: "enter" },
    { type: "key", name: "newline" },
  ]);
});
