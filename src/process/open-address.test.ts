import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openAddress } from "./open-address.js";

test("opens the address in the browser that the user has chosen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-browser-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, opened] = [join(folder, "browser"), join(folder, "opened")];
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
  chmodSync(program, 0o755);
  expect(
    await openAddress("http://127.0.0.1:1/login#a b", { BROWSER: program, PATH: process.env["PATH"] }),
  ).toBe(true);
  await vi.waitFor(() => expect(existsSync(opened)).toBe(true), 60_000);
  expect(readFileSync(opened, "utf8")).toBe("http://127.0.0.1:1/login#a b");
});

test("says that it opened nothing where there is no such program", async () => {
  expect(await openAddress("http://127.0.0.1:1/", { BROWSER: "/nowhere/browser" })).toBe(false);
});

test.runIf(process.platform === "linux")("opens nothing without a display, or far from it", async () => {
  expect(await openAddress("http://127.0.0.1:1/", {})).toBe(false);
  expect(await openAddress("http://127.0.0.1:1/", { DISPLAY: ":0", SSH_CONNECTION: "a b" })).toBe(false);
});
