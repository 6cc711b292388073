import { expect, test } from "vitest";
import { openableUrl } from "./page-link.js";

test.each([
  ["http://127.0.0.1:4320", ["desk.lan"], "http://127.0.0.1:4320"],
  ["https://192.168.1.5:4320", [], "https://192.168.1.5:4320"],
  ["https://0.0.0.0:4320", ["desk.lan", "other.lan"], "https://desk.lan:4320"],
  ["https://[::]:4320", ["desk.lan"], "https://desk.lan:4320"],
  ["http://0.0.0.0:4320", [], "http://localhost:4320"],
])("links to an address that a browser can open when it listens on %s as %j", (url, names, shown) => {
  expect(openableUrl(url, names)).toBe(shown);
});
