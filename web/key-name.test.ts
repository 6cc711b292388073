import { expect, test } from "vitest";
import { keyName } from "./key-name.js";

const none = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test.each([
  [{ key: "j" }, "j"],
  [{ key: "J", shiftKey: true }, "shift+j"],
  [{ key: "?", shiftKey: true }, "?"],
  [{ key: "Enter", ctrlKey: true }, "ctrl+enter"],
  [{ key: "Enter", metaKey: true }, "ctrl+enter"],
  [{ key: "Escape" }, "escape"],
  [{ key: "Esc" }, "escape"],
  [{ key: "1" }, "1"],
  [{ key: "ArrowDown" }, "arrowdown"],
  [{ key: "Tab", shiftKey: true }, "shift+tab"],
])("names the key %j as %s", (pressed, name) => {
  expect(keyName({ ...none, ...pressed })).toBe(name);
});
