/**
 * The script of a scripted model, as JSON:
 *
 *     { "steps": [
 *       { "think": "…", "say": "I will look.", "calls": [{ "tool": "read_file", "input": { "path": "a" } }] },
 *       { "calls": [{ "tool": "edit_file", "input": { … } }], "otherwise": [{ "say": "Then I will not." }] },
 *       { "say": "Done." } ] }
 *
 * A step is one answer of the model: it may think, speak and ask for calls, each of these optional. Where
 * a call of the step is not done (refused, failed, cancelled), the script goes on with the step's
 * `otherwise`, if it has one. Which step comes next is told by the history and by nothing else.
 *
 * A call that starts a sub-agent says in `subAgent` what that plays, which is a script of its own. A sub-agent is known
 * by what it is told first: the `prompt` of the call's input.
 */
import { z } from "zod";

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

export class BadScript extends Error {
  readonly code = "BAD_SCRIPT";

  constructor(problem: string) {
    super(
      `The model script is not valid:\n${problem}\nNothing was started. See docs/scripted-model.md for its form.`,
    );
    this.name = "BadScript";
  }
}
