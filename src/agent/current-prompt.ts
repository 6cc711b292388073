/** The next prompt, made from the log as it is now, with the parts that this model signed. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { promptFromSession } from "./prompt-from-session.js";
import { modelName } from "./streamed-response.js";
import type { TurnContext } from "./turn.js";

export async function currentPrompt(context: TurnContext): Promise<LanguageModelV3Prompt> {
  const { agent, record, instructions } = context;
  return promptFromSession(record.book.snapshot(), {
    instructions: await instructions(),
    maxResultCharacters: agent.maxResultCharacters,
    model: modelName(agent.model),
  });
}
