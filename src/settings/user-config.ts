/**
 * What the user has chosen beside rules, in `config.json`. Read once, when a command starts, and strictly: a
 * misspelled `redactAtRets` would keep secrets that were not to be kept, so a file with a mistake starts nothing.
 */
import { join } from "node:path";
import { z } from "zod";
import { jsonParser } from "./json-parser.js";
import { readFileSafely } from "./read-file-safely.js";
import { SettingsError } from "./settings-error.js";

export type UserConfig = {
  /** Secrets are taken out before anything is stored, and not only where it leaves the store. */
  readonly redactAtRest?: boolean;
  /** Further secrets, beside those that are known by their shape or name. */
  readonly redactPatterns?: readonly string[];
  /** What follows when an agent of someone else's runs a call that the rules deny; "mark" when left out. */
  readonly onBreach?: "mark" | "end";
};

const parse = jsonParser<UserConfig>(
  z.strictObject({
    redactAtRest: z.boolean().exactOptional(),
    redactPatterns: z.array(z.string().min(1)).exactOptional(),
    onBreach: z.enum(["mark", "end"]).exactOptional(),
  }),
);

export const userConfigFile = (folder: string): string => join(folder, "config.json");

/** Nothing chosen where there is no file. Throws a SettingsError where there is one that cannot be used. */
export function readUserConfig(folder: string): UserConfig {
  const path = userConfigFile(folder);
  const reading = readFileSafely(path);
  if (reading.state === "absent") return {};
  if (reading.state === "unreadable") throw unusable(`${path} cannot be read: ${reading.why}.`);
  const parsed = parse(reading.text, path);
  if (!parsed.ok) throw unusable(parsed.problem);
  return parsed.value;
}

const unusable = (problem: string): SettingsError =>
  new SettingsError("FILE_BROKEN", `${problem} Nothing was started.`);
