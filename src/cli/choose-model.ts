/** Asks once which model to use, when keys are set and nothing was chosen, and remembers it. */
import { createInterface } from "node:readline/promises";
import { rememberModel, settingsFolder, userConfigFile } from "../settings/index.js";
import { defaultModel } from "./default-model.js";
import type { RunFlags } from "./commands/run.js";
import { reachableModels } from "./models.js";
import { noteLine } from "./stderr.js";

const MAX_OFFERED = 9;

/** The flags with the chosen model; as they are when nothing is to be asked. */
export async function chooseModel(flags: RunFlags, folder: string): Promise<RunFlags> {
  const isChosen = [flags.model, flags.script, flags.agent, flags.url, flags.resume].some(
    (one) => one !== undefined,
  );
  if (isChosen || defaultModel(folder).model !== undefined) return flags;
  const models = (await reachableModels()).slice(0, MAX_OFFERED);
  if (models.length === 0 || !process.stdin.isTTY || !process.stdout.isTTY || flags.json === true) {
    if (flags.json !== true) noteLine(models.length === 0 ? NO_KEY : NO_CHOICE);
    return flags;
  }
  const model = await ask(models.map(({ name, note }) => ({ name, note })));
  if (model === undefined) {
    noteLine(NO_CHOICE);
    return flags;
  }
  rememberModel(settingsFolder(), { model });
  noteLine(`Stored in ${userConfigFile(settingsFolder())}; --model chooses another one.`);
  return { ...flags, model };
}

const NO_KEY =
  "No model is chosen and no key is set, so a script plays instead of a model. toolgate models shows which keys there are.";
const NO_CHOICE =
  "No model is chosen, so a script plays instead of one. Choose one with --model, or with model in config.json: toolgate models.";

async function ask(
  models: readonly { readonly name: string; readonly note: string }[],
): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Readline would keep Ctrl-C from the process.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const lines = models.map(({ name, note }, index) => `  ${index + 1}  ${name}  ${note}`);
    process.stdout.write(
      `Which model should answer? The choice is remembered. Prices are for a million tokens.\n${lines.join("\n")}\n`,
    );
    for (;;) {
      const typed = (
        await terminal.question("A number, or a name such as openai/…; Enter plays the script: ")
      ).trim();
      if (typed === "") return undefined;
      const chosen = models[Number(typed) - 1]?.name ?? (typed.includes("/") ? typed : undefined);
      if (chosen !== undefined) return chosen;
    }
  } finally {
    terminal.close();
  }
}
