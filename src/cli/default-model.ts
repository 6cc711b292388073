/**
 * The model without `--model`: from the environment, from the project's entry in config.json, or from config.json itself.
 * A project's own files choose none: the conversation would go to an address that the user has not named.
 */
import { dirname } from "node:path";
import { readUserConfig, settingsFolder } from "../settings/index.js";
import type { ModelChoice } from "../settings/index.js";
import type { AgentFlags } from "./commands/agent-options.js";

export function defaultModel(folder: string, env: NodeJS.ProcessEnv = process.env): ModelChoice {
  const { TOOLGATE_MODEL: model = "", TOOLGATE_BASE_URL: baseUrl = "" } = env;
  if (model !== "") return { model, ...(baseUrl !== "" && { baseUrl }) };
  const config = readUserConfig(settingsFolder());
  const { projects = {} } = config;
  for (let at = folder; ; at = dirname(at)) {
    const choice = projects[at];
    if (choice?.model !== undefined) return choice;
    if (at === dirname(at)) break;
  }
  const { model: own, baseUrl: address } = config;
  return own === undefined ? {} : { model: own, ...(address !== undefined && { baseUrl: address }) };
}

/** The flags with the default model, unless they name a model or a script. */
export function withDefaultModel<Flags extends Pick<AgentFlags, "model" | "script" | "baseUrl">>(
  flags: Flags,
  folder: string,
): Flags {
  if (flags.model !== undefined || flags.script !== undefined) return flags;
  return { ...flags, ...defaultModel(folder) };
}
