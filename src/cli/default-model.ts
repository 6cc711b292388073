/**
 * The model without `--model`: from the environment, from the project's entry in config.json, or from config.json itself.
 * A project's own files choose none: the conversation would go to an address that the user has not named.
 */
import { dirname } from "node:path";
import { isSameProvider } from "../model/model-name.js";
import { readUserConfig, settingsFolder } from "../settings/index.js";
import type { ModelChoice } from "../settings/index.js";
import type { AgentFlags } from "./commands/agent-options.js";

export function defaultModel(folder: string, env: NodeJS.ProcessEnv = process.env): ModelChoice {
  const { TOOLGATE_MODEL: model = "", TOOLGATE_BASE_URL: baseUrl = "" } = env;
  if (model !== "")
    return baseUrl === ""
      ? { model, ...defaultAddress(model, folder, { ...env, TOOLGATE_MODEL: "" }) }
      : { model, baseUrl };
  const config = readUserConfig(settingsFolder(env));
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
  env: NodeJS.ProcessEnv = process.env,
): Flags {
  const { model, script, baseUrl } = flags;
  if (script !== undefined) return flags;
  if (model === undefined) return { ...flags, ...defaultModel(folder, env) };
  return baseUrl === undefined ? { ...flags, ...defaultAddress(model, folder, env) } : flags;
}

/** A local model has no usual address: the default model's counts for all, and so does one that stands alone. */
function defaultAddress(model: string, folder: string, env: NodeJS.ProcessEnv): Pick<ModelChoice, "baseUrl"> {
  if (!isSameProvider(model, LOCAL)) return {};
  const chosen = defaultModel(folder, env);
  const isLocal = chosen.model === undefined || isSameProvider(chosen.model, LOCAL);
  const baseUrl = chosen.model === undefined ? readUserConfig(settingsFolder(env)).baseUrl : chosen.baseUrl;
  return isLocal && baseUrl !== undefined ? { baseUrl } : {};
}

const LOCAL = "openai-compatible/";
