/** `/mode`, `/model` and `/options` with another agent: the settings are the agent's own, by its own names. */
import { visibleText } from "../../call/index.js";
import type { AgentSetting } from "../../acp/index.js";
import type { Chat } from "./chat.js";
import type { Conversation } from "./conversation.js";
import { pickOne } from "./pick-one.js";

type Foreign = NonNullable<Conversation["foreign"]>;

export async function chooseSetting(
  chat: Chat,
  { session }: Foreign,
  category: "mode" | "model",
  words: string,
): Promise<string | undefined> {
  const setting = session.settings.ofCategory(category);
  if (!setting || setting.options.length === 0)
    return `${visibleText(session.agent)} offers no choice of a ${category}. Nothing was changed; ${OTHERWISE[category]}`;
  return chooseValue(chat, session, setting, words);
}

const OTHERWISE = {
  mode: "--mode says what Toolgate asks about when it starts the agent.",
  model: "the agent uses its own.",
} as const;

/** The settings that have no command of their own. */
export async function chooseOption(chat: Chat, { session }: Foreign): Promise<string | undefined> {
  const settings = session.settings.all.filter(({ category }) => category !== "mode" && category !== "model");
  if (settings.length === 0)
    return `${visibleText(session.agent)} offers no other options. Nothing was changed.`;
  const [only, more] = settings;
  const choices = settings.map((value) => ({
    value,
    label: `${visibleText(value.name)}  ${visibleText(nameOf(value, value.current))}`,
  }));
  const setting = more === undefined ? only : await pickOne(chat.footer, "Option:", choices);
  return setting && chooseValue(chat, session, setting, "");
}

async function chooseValue(
  chat: Chat,
  session: Foreign["session"],
  setting: AgentSetting,
  words: string,
): Promise<string | undefined> {
  const { id, name, category, current, options } = setting;
  const choices = options.map(({ value, name: label, description = "" }) => ({
    value,
    label: `${value === current ? "✓" : " "} ${visibleText(label)}  ${visibleText(description)}`.trimEnd(),
  }));
  const value =
    words === ""
      ? await pickOne(chat.footer, `${visibleText(name)}:`, choices)
      : options.find((one) => one.value === words || one.name.toLowerCase() === words.toLowerCase())?.value;
  if (value === undefined)
    return words === ""
      ? undefined
      : `${visibleText(session.agent)} has no "${visibleText(words)}" here, only ${options.map((one) => visibleText(one.value)).join(", ")}. Nothing was changed.`;
  if (category === "mode") await session.setMode(value);
  else await session.setSetting(id, value);
  return `${visibleText(name)} of ${visibleText(session.agent)}: ${visibleText(nameOf(setting, value))}.`;
}

/** The name of the setting's current value, for the status row. */
export function currentSetting(session: Foreign["session"], category: string): string | undefined {
  const setting = session.settings.ofCategory(category);
  return setting?.current === undefined ? undefined : nameOf(setting, setting.current);
}

const nameOf = ({ options }: AgentSetting, value: string | undefined): string =>
  options.find((one) => one.value === value)?.name ?? value ?? "";
