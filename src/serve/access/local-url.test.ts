import { expect, test } from "vitest";
import { isLocalUrl, pageUrl } from "./local-url.js";

test.each([
  ["http://127.0.0.1:4600", true],
  ["http://127.9.0.1", true],
  ["https://localhost:4600", true],
  ["http://page.localhost", true],
  ["http://[::1]:4600", true],
  ["http://192.168.1.5:4600", false],
  ["https://localhost.example.com", false],
  ["https://desk.example.com", false],
])("knows whether %s leads to this computer only", (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal);
});

test.each([
  ["https://desk.example.com/", "https://desk.example.com"],
  ["https://desk.example.com/gate/?a#b", "https://desk.example.com/gate"],
  ["http://192.168.1.5:4600", "http://192.168.1.5:4600"],
  ["desk.example.com", undefined],
  ["javascript:alert(1)", undefined],
  ["https://ann:secret@desk.example.com", undefined],
  ["", undefined],
])("takes %s as %s", (text, url) => {
  expect(pageUrl(text)).toBe(url);
});
