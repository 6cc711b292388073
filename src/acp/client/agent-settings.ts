/**
 * The settings that an agent offers in a session, with their current values, and its slash commands. Config options are
 * ACP's newest form of settings: the older `modes` and `models` count only where no option has that category.
 */
import { oneLine } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

export type AgentSetting = {
  readonly id: string;
  readonly name: string;
  /** `mode`, `model`, or the agent's own word. */
  readonly category: string | undefined;
  readonly current: string | undefined;
  readonly options: readonly SettingOption[];
};

type SettingOption = { readonly value: string; readonly name: string; readonly description?: string };

export type AgentCommandName = { readonly name: string; readonly description: string };

type Form = "mode" | "model" | "option";
type FormedSetting = AgentSetting & { readonly form: Form };

const MAX_NAME = 120;

export class AgentSettings {
  #options: readonly FormedSetting[] = [];
  #older: readonly FormedSetting[] = [];
  #commands: readonly AgentCommandName[] = [];

  get all(): readonly AgentSetting[] {
    return this.#all;
  }

  /** The agent's own slash commands. */
  get commands(): readonly AgentCommandName[] {
    return this.#commands;
  }

  /** The setting of this category, if the agent offers one. */
  ofCategory(category: string): AgentSetting | undefined {
    return this.#all.find((setting) => setting.category === category);
  }

  /** Reads the agent's response to a request that opened the session, or that changed a setting. */
  take(result: unknown): void {
    if (!isJsonObject(result)) return;
    const { modes, models, configOptions } = result;
    if (isJsonObject(modes)) this.#replaceOlder(olderSetting("mode", modes, MODES));
    if (isJsonObject(models)) this.#replaceOlder(olderSetting("model", models, MODELS));
    if (Array.isArray(configOptions)) this.#options = configOptions.flatMap(readOption);
  }

  /** Reads an update of the session. */
  see(update: unknown): void {
    if (!isJsonObject(update)) return;
    if (update["sessionUpdate"] === "config_option_update") this.take(update);
    if (update["sessionUpdate"] === "current_mode_update") this.#setCurrent("mode", update["currentModeId"]);
    if (update["sessionUpdate"] === "available_commands_update")
      this.#commands = listOf(update["availableCommands"]).flatMap(readCommand);
  }

  /** The request that sets a value, without its session; `wasSet` follows when the agent has taken it. */
  request(id: string, value: string, version: 1 | 2): { readonly method: string; readonly params: object } {
    const form = this.#all.find((setting) => setting.id === id)?.form ?? "option";
    if (form === "mode") return { method: "session/set_mode", params: { modeId: value } };
    if (form === "model") return { method: "session/set_model", params: { modelId: value } };
    const type = version === 2 ? { type: "id" } : {};
    return { method: "session/set_config_option", params: { configId: id, ...type, value } };
  }

  wasSet(id: string, value: string, result: unknown): void {
    this.#setCurrent(id, value);
    this.take(result);
  }

  get #all(): readonly FormedSetting[] {
    const has = (category: string | undefined) => this.#options.some((one) => one.category === category);
    return [...this.#older.filter(({ category }) => !has(category)), ...this.#options];
  }

  #replaceOlder(setting: FormedSetting): void {
    this.#older = [...this.#older.filter(({ id }) => id !== setting.id), setting];
  }

  #setCurrent(id: string, value: unknown): void {
    if (typeof value !== "string") return;
    const set = (one: FormedSetting): FormedSetting => (one.id === id ? { ...one, current: value } : one);
    this.#older = this.#older.map(set);
    this.#options = this.#options.map(set);
  }
}

type OlderFields = {
  readonly name: string;
  readonly current: string;
  readonly list: string;
  readonly id: string;
};
const MODES: OlderFields = { name: "Mode", current: "currentModeId", list: "availableModes", id: "id" };
const MODELS: OlderFields = {
  name: "Model",
  current: "currentModelId",
  list: "availableModels",
  id: "modelId",
};

function olderSetting(form: "mode" | "model", from: JsonObject, fields: OlderFields): FormedSetting {
  return {
    form,
    id: form,
    name: fields.name,
    category: form,
    current: textOf(from[fields.current]),
    options: listOf(from[fields.list]).flatMap((one) => readChoice(one, fields.id)),
  };
}

/** Only options of the type `select`: nobody knows which values another type takes. */
function readOption(option: unknown): readonly FormedSetting[] {
  if (!isJsonObject(option) || option["type"] !== "select") return [];
  const id = textOf(option["configId"] ?? option["id"]);
  if (id === undefined) return [];
  const { name, category, currentValue, options } = option;
  return [
    {
      form: "option",
      id,
      name: oneLine(textOf(name) ?? id, MAX_NAME),
      category: textOf(category),
      current: textOf(currentValue),
      options: valuesIn(options),
    },
  ];
}

/** The values of a select, grouped or not. */
const valuesIn = (options: unknown): readonly SettingOption[] =>
  listOf(options).flatMap((one) =>
    isJsonObject(one) && Array.isArray(one["options"])
      ? listOf(one["options"]).flatMap((inner) => readChoice(inner, "value"))
      : readChoice(one, "value"),
  );

function readChoice(one: unknown, idField: string): readonly SettingOption[] {
  const value = isJsonObject(one) ? textOf(one[idField]) : undefined;
  if (!isJsonObject(one) || value === undefined) return [];
  const description = textOf(one["description"]);
  return [
    {
      value,
      name: oneLine(textOf(one["name"]) ?? value, MAX_NAME),
      ...(description !== undefined && { description: oneLine(description, MAX_NAME) }),
    },
  ];
}

function readCommand(one: unknown): readonly AgentCommandName[] {
  const name = isJsonObject(one) ? textOf(one["name"]) : undefined;
  if (!isJsonObject(one) || name === undefined || !/^[a-z][\w:.-]*$/i.test(name)) return [];
  return [{ name, description: oneLine(textOf(one["description"]) ?? "", MAX_NAME) }];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
