/** The options of a session, as each version of ACP writes them. */
import { oneLine } from "../../call/index.js";
import { invalidParams } from "../connection/message.js";
import type { Choice, HostedSession } from "./acp-host.js";

type Choosing = Pick<HostedSession, "choices">;

export function v1ConfigOptions({ choices }: Choosing): readonly object[] {
  return choices.map((choice) => ({ id: choice.id, ...select(choice) }));
}

export function v2ConfigOptions({ choices }: Choosing): readonly object[] {
  return choices.map((choice) => ({ configId: choice.id, ...select(choice) }));
}

function select({ name, category, options, current }: Choice): object {
  return { type: "select", name, category, currentValue: current(), options };
}

/** With `modes`, which v2 no longer has. */
export function v1Choices(hosted: Choosing): object {
  const mode = hosted.choices.find(({ category }) => category === "mode");
  return {
    ...(mode && { modes: modesOf(mode) }),
    ...(hosted.choices.length > 0 && { configOptions: v1ConfigOptions(hosted) }),
  };
}

function modesOf({ current, options }: Choice): object {
  return {
    currentModeId: current(),
    availableModes: options.map(({ value, ...mode }) => ({ id: value, ...mode })),
  };
}

/** Throws when it was not offered: then nothing has changed. */
export async function choose({ choices }: Choosing, id: string, value: unknown): Promise<void> {
  const choice = choices.find((known) => known.id === id);
  if (!choice) throw invalidParams(`There is no choice "${oneLine(id, 80)}" here. Nothing was changed.`);
  const offered = choice.options.map((option) => option.value);
  if (typeof value !== "string" || !offered.includes(value))
    throw invalidParams(
      `${choice.name} can be ${offered.join(", ")}, and not ${oneLine(JSON.stringify(value) ?? "nothing", 80)}. Nothing was changed.`,
    );
  await choice.choose(value);
}
