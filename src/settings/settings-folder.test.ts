import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { settingsFolder } from "./settings-folder.js";
import { newFolder, removeFolders, write } from "./settings.samples.js";

afterAll(removeFolders);

test("keeps the settings in the user's config folder, which only the user can read", () => {
  const home = newFolder();
  const folder = settingsFolder({ HOME: home });
  expect(folder).toBe(join(home, ".config", "toolgate"));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("uses XDG_CONFIG_HOME as the parent and TOOLGATE_CONFIG as the folder itself", () => {
  const [home, config] = [newFolder(), newFolder()];
  expect(settingsFolder({ HOME: home, XDG_CONFIG_HOME: config })).toBe(join(config, "toolgate"));
  expect(settingsFolder({ HOME: home, XDG_CONFIG_HOME: config, TOOLGATE_CONFIG: join(home, "own") })).toBe(
    join(home, "own"),
  );
});

test("ignores a relative XDG_CONFIG_HOME and refuses a relative TOOLGATE_CONFIG, which a project could use", () => {
  const home = newFolder();
  expect(settingsFolder({ HOME: home, XDG_CONFIG_HOME: ".config" })).toBe(join(home, ".config", "toolgate"));
  expect(() => settingsFolder({ HOME: home, TOOLGATE_CONFIG: ".toolgate" })).toThrow(
    "set it to an absolute path",
  );
});

test("names the folder even when it cannot be created", () => {
  const home = newFolder();
  write(join(home, ".config"), "a file");
  expect(settingsFolder({ HOME: home })).toBe(join(home, ".config", "toolgate"));
});
