/**
 * The reasons that a person gave with a no, for an agent that gets none with the answer: ACP has no field for it. They go
 * to the agent's model as the next prompt, in the same turn, as soon as the agent has ended its own.
 */
import { oneLine } from "../../call/index.js";
import type { ContentBlock, ToolCall } from "../../call/index.js";

/** Each takes a person's answer, so this bounds only an agent that asks in a loop. */
const MAX_PROMPTS = 20;
const MAX_TITLE = 200;

export class RefusalReasons {
  #unsent: string[] = [];
  #prompts = 0;

  /** A reason by a rule is not sent: nobody waits for the agent's next try. */
  add({ title, decision, state }: ToolCall): void {
    if (state.status !== "refused" || decision?.by !== "person" || decision.reason === undefined) return;
    this.#unsent.push(`“${oneLine(title, MAX_TITLE)}” was refused. The user's reason: ${decision.reason}`);
  }

  /** The prompt that is due; undefined when every reason was sent. */
  take(): readonly ContentBlock[] | undefined {
    if (this.#unsent.length === 0 || this.#prompts >= MAX_PROMPTS) return undefined;
    this.#prompts += 1;
    const text = this.#unsent.join("\n");
    this.#unsent = [];
    return [{ type: "text", text }];
  }

  /** At a new turn of the user, unsent reasons are out of date. */
  clear(): void {
    this.#unsent = [];
    this.#prompts = 0;
  }
}
