import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readUserConfig, userConfigFile } from "./user-config.js";

function folderWith(text?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (text !== undefined) writeFileSync(userConfigFile(folder), text);
  return folder;
}

test("chooses nothing when there is no file", () => {
  expect(readUserConfig(folderWith())).toEqual({});
});

test("reads the chosen settings", () => {
  const chosen = { redactAtRest: true, redactPatterns: ["acme-[0-9]{8}"] };
  expect(readUserConfig(folderWith(JSON.stringify(chosen)))).toEqual(chosen);
});

test.each([
  [
    "a field that nobody knows",
    '{\n  "redactAtRets": true\n}',
    /config\.json:2: nobody knows the field "redactAtRets"/,
  ],
  ["a wrong type", '{ "redactAtRest": "yes" }', /config\.json:1: "redactAtRest": it must be true or false/],
  ["a pattern that is no text", '{ "redactPatterns": ["abc", 3] }', /redactPattern 2: it must be a text/],
  ["an empty pattern", '{ "redactPatterns": [""] }', /it is empty/],
  ["no JSON", "{", /config\.json:1: it ends where/],
  [
    "a field that is there twice",
    '{"redactAtRest":true,"redactAtRest":false}',
    /"redactAtRest" is there twice/,
  ],
])("refuses %s with its place in the file, and starts nothing", (_, text, message) => {
  const read = () => readUserConfig(folderWith(text));
  expect(read).toThrow(message);
  expect(read).toThrow(/Nothing was started\.$/);
});

test("distinguishes a folder from a missing file", () => {
  const folder = folderWith();
  mkdirSync(userConfigFile(folder));
  expect(() => readUserConfig(folder)).toThrow(/config\.json cannot be read: .*Nothing was started/);
});
