/**
 * The folder of the user's settings: `TOOLGATE_CONFIG`, or `toolgate` in the user's config folder. Never a path relative
 * to the current folder: a project could then bring its own settings.
 */
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { SettingsError } from "./settings-error.js";

type Environment = { readonly [name: string]: string | undefined };

export function settingsFolder(env: Environment = process.env): string {
  const folder = chosenFolder(env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Reading works without the folder; the first write reports the problem.
  }
  return folder;
}

function chosenFolder(env: Environment): string {
  const own = env["TOOLGATE_CONFIG"] ?? "";
  if (own !== "" && !isAbsolute(own)) {
    throw new SettingsError(
      "FOLDER_NOT_ABSOLUTE",
      `TOOLGATE_CONFIG is "${own}", which means another folder in each project. No settings were read; set it to an absolute path, or unset it.`,
    );
  }
  if (own !== "") return own;
  // The XDG specification says that a relative path is to be ignored.
  const config = env["XDG_CONFIG_HOME"] ?? "";
  return join(isAbsolute(config) ? config : join(homeOf(env), ".config"), "toolgate");
}

function homeOf(env: Environment): string {
  const home = env["HOME"] ?? "";
  return isAbsolute(home) ? home : homedir();
}
