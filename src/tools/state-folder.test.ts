import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stateFolder } from "./state-folder.js";

test.each([
  ["/somewhere", "/somewhere/toolgate"],
  ["", join(homedir(), ".local/state/toolgate")],
  ["relative", join(homedir(), ".local/state/toolgate")],
])("is absolute when XDG_STATE_HOME is %j", (value, expected) => {
  vi.stubEnv("XDG_STATE_HOME", value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(stateFolder()).toBe(expected);
});
