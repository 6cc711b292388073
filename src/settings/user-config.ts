/**
 * The user's other settings, in `config.json`. Read once, when a command starts, and strictly: a misspelled
 * `redactAtRets` would store secrets, so a file with a mistake starts nothing.
 */
import { join } from "node:path";
import { z } from "zod";
import { createFolder } from "./create-folder.js";
import { jsonParser } from "./json-parser.js";
import { notifyConfig } from "./notify-config.js";
import type { NotifyConfig } from "./notify-config.js";
import { readFileSafely } from "./read-file-safely.js";
import { SettingsError } from "./settings-error.js";
import { writeAtomically } from "./write-atomically.js";

/** A model by its name, and the address of its provider where it is another than the usual one. */
export type ModelChoice = { readonly model?: string; readonly baseUrl?: string };

export type UserConfig = ModelChoice & {
  /** The model of single projects, by their folder; the nearest folder counts. */
  readonly projects?: { readonly [folder: string]: ModelChoice };
  readonly notify?: NotifyConfig;
  /** Redacts secrets before anything is stored, and not only on export. */
  readonly redactAtRest?: boolean;
  /** Patterns of further secrets, besides the built-in ones. */
  readonly redactPatterns?: readonly string[];
  /** The reaction when an external agent runs a call that the rules deny; "mark" by default. */
  readonly onBreach?: "mark" | "end";
  /** Whether commands may run unasked in a sandbox, where one holds; true by default. */
  readonly contained?: boolean;
  /** Which commands can be undone; "writing" by default: all that may write. */
  readonly undoCommands?: "contained" | "writing" | "never";
  /** Up to which size and time the workspace is kept before a command. */
  readonly undoLimits?: {
    readonly files?: number;
    readonly megabytes?: number;
    readonly seconds?: number;
  };
};

const modelChoice = () => ({
  model: z.string().min(1).exactOptional(),
  baseUrl: z.url().exactOptional(),
});

const parse = jsonParser<UserConfig>(() =>
  z.strictObject({
    ...modelChoice(),
    projects: z.record(z.string().startsWith("/"), z.strictObject(modelChoice())).exactOptional(),
    notify: notifyConfig().exactOptional(),
    redactAtRest: z.boolean().exactOptional(),
    redactPatterns: z.array(z.string().min(1)).exactOptional(),
    onBreach: z.enum(["mark", "end"]).exactOptional(),
    contained: z.boolean().exactOptional(),
    undoCommands: z.enum(["contained", "writing", "never"]).exactOptional(),
    undoLimits: z
      .strictObject({
        files: z.int().positive().exactOptional(),
        megabytes: z.number().positive().exactOptional(),
        seconds: z.number().positive().exactOptional(),
      })
      .exactOptional(),
  }),
);

export const userConfigFile = (folder: string): string => join(folder, "config.json");

/** Empty without a file. Throws a SettingsError for a file that cannot be used. */
export function readUserConfig(folder: string): UserConfig {
  const path = userConfigFile(folder);
  const reading = readFileSafely(path);
  if (reading.state === "absent") return {};
  if (reading.state === "unreadable") throw unusable(`${path} cannot be read: ${reading.why}.`);
  const parsed = parse(reading.text, path);
  if (!parsed.ok) throw unusable(parsed.problem);
  return parsed.value;
}

/** Stores the model as the default one. Throws a SettingsError for a file that cannot be used: it stays as it is. */
export function rememberModel(folder: string, choice: ModelChoice): void {
  const { model: _model, baseUrl: _url, ...others } = readUserConfig(folder);
  createFolder(folder);
  writeAtomically(
    userConfigFile(folder),
    `${JSON.stringify({ ...choice, ...others }, undefined, 2)}\n`,
    () => true,
  );
}

const unusable = (problem: string): SettingsError =>
  new SettingsError("FILE_BROKEN", `${problem} Nothing was started.`);
