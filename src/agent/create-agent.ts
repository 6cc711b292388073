/** An agent: a model, its tools, and the rules for them. Sessions are opened with it. */
import type { LanguageModelV3 } from "../model/index.js";
import type { Rule } from "../policy/index.js";
import type { Tool } from "../tools/index.js";

export type AgentOptions = {
  readonly name: string;
  readonly model: LanguageModelV3;
  readonly tools: readonly Tool[];
  /** What no rule speaks of is asked. */
  readonly rules?: readonly Rule[];
  /** Told to the model before everything else. */
  readonly instructions?: string;
  /** A turn that has taken this many answers of the model is stopped. */
  readonly maxSteps?: number;
};

export type Agent = Required<Omit<AgentOptions, "instructions">> & Pick<AgentOptions, "instructions">;

const MAX_STEPS = 200;

export function createAgent(options: AgentOptions): Agent {
  return { rules: [], maxSteps: MAX_STEPS, ...options };
}
