/**
 * The script of a scripted model, as JSON:
 *
 *     { "steps": [
 *       { "think": "…", "say": "I will look.", "calls": [{ "tool": "read_file", "input": { "path": "a" } }] },
 *       { "calls": [{ "tool": "edit_file", "input": { … } }], "otherwise": [{ "say": "Then I will not." }] },
 *       { "say": "Done." } ] }
 *
 * A step is one response of the model: thoughts, text and calls, each optional. When a call of the step is not done
 * (refused, failed, cancelled), the script continues with the step's `otherwise`, if it has one. The next step depends on
 * the history and on nothing else.
 *
 * A call that starts a sub-agent has that agent's own script in `subAgent`. The model recognises a sub-agent by its first
 * prompt: the `prompt` of the call's input.
 */
import { z } from "zod";
import { BadOption } from "../call/index.js";

type ScriptCall = {
  readonly tool: string;
  readonly input?: unknown;
  readonly subAgent?: readonly ScriptStep[] | undefined;
};

export type ScriptStep = {
  readonly think?: string | undefined;
  readonly say?: string | undefined;
  readonly calls?: readonly ScriptCall[] | undefined;
  readonly otherwise?: readonly ScriptStep[] | undefined;
};

export type Script = { readonly steps: readonly ScriptStep[] };

const scriptStep: z.ZodType<ScriptStep> = z.strictObject({
  think: z.string().optional(),
  say: z.string().optional(),
  calls: z
    .array(
      z.strictObject({
        tool: z.string(),
        input: z.unknown().optional(),
        subAgent: z.lazy(() => z.array(scriptStep)).optional(),
      }),
    )
    .optional(),
  otherwise: z.lazy(() => z.array(scriptStep)).optional(),
});

const script = z.strictObject({ steps: z.array(scriptStep).min(1) });

export function parseScript(json: unknown): Script {
  const parsed = script.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new BadScript(z.prettifyError(parsed.error));
}

/** The same for a script that a program made. */
export function mustBeSteps(steps: unknown): void {
  const { error } = z.array(scriptStep).safeParse(steps);
  if (error) throw new BadOption(`scriptedModel: "steps" is no script. ${z.prettifyError(error)}.`, "steps");
}

export class BadScript extends Error {
  readonly code = "BAD_SCRIPT";

  constructor(problem: string) {
    super(
      `The model script is not valid:\n${problem}\nNothing was started. See docs/scripted-model.md for its form.`,
    );
    this.name = "BadScript";
  }
}
