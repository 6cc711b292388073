/**
 * The schema of a rule file. Strict: an unknown field is an error, because a misspelled `comand` would make a rule far
 * wider than it reads.
 */
import { z } from "zod";
import type { Rule } from "../policy/index.js";
import { MODES } from "../policy/modes.js";
import type { Mode } from "../policy/modes.js";

export type RuleFile = { readonly mode?: Mode; readonly rules: readonly Rule[] };

const EFFECTS = ["allow", "ask", "deny"] as const;

const effect = z.string().min(1).exactOptional();
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "it must be a SHA-256 in hexadecimal")
  .exactOptional();
const commands = z.array(z.string().min(1)).exactOptional();

const looseRule = z.strictObject({
  allow: effect.describe("Kind, tool (with * for any part of its name) or * that may run without asking."),
  ask: effect.describe("Kind, tool or * that is always asked about."),
  deny: effect.describe("Kind, tool or * that never runs."),
  server: z
    .string()
    .min(1)
    .exactOptional()
    .describe("The MCP server that the tool comes from; * for any part of its name."),
  definition: hash.describe(
    "SHA-256 of what the server sent about the tool when you allowed it always; it only narrows what is allowed.",
  ),
  fingerprint: hash.describe(
    "SHA-256 of the server's program or address when you allowed it always; it only narrows what is allowed.",
  ),
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)], { error: "it must be a text or a list of words" })
    .exactOptional()
    .describe("Words of a command; a last * is any further words. A list is exactly these words."),
  path: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "An absolute path, * inside a name, ** for any depth; ~ is the home folder. In a project's own file also a path from the project.",
    ),
  host: z.string().min(1).exactOptional().describe("example.com, *.example.com or https://example.com:8443."),
  anyFlags: z
    .boolean()
    .exactOptional()
    .describe("Lifts the lists of harmless flags for this rule's commands."),
  folder: z
    .string()
    .min(1)
    .exactOptional()
    .describe('The folder in which the command must run, absolute. An "always" has it.'),
  input: z
    .string()
    .exactOptional()
    .describe('Where the command\'s input must come from, as a shell writes it. An "always" has it.'),
  contents: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('SHA-256 of the files that the command runs. An "always" has it.'),
  patterns: z
    .array(z.string())
    .exactOptional()
    .describe('The words of the command that the shell expands. An "always" has it.'),
  width: z
    .enum(["subcommand", "family", "plain", "host", "local"])
    .exactOptional()
    .describe(
      'Narrows the command: "subcommand" to flags known to be harmless and paths of the workspace, "family" to the builds and checks of the project ("*") or to the local and looking work of git, gh, docker, kubectl or helm, "plain" to plain words of that script or program, "host" to a curl that only reads from the host, "local" to one that sends a port of this machine the data in its words. An "always" has it.',
    ),
  reason: z.string().exactOptional().describe("Shown when a call is refused or asked about."),
  until: z.iso
    .datetime({
      offset: true,
      error: `it must be a date and time with a zone, such as "2030-01-31T12:00:00Z"`,
    })
    .exactOptional()
    .describe("When an allowing rule ends; the others never end."),
  examples: z
    .strictObject({ match: commands, notMatch: commands })
    .exactOptional()
    .describe("Commands that the rule must and must not match; checked when the file is read."),
});

const oneEffect = looseRule.superRefine((rule, context) => {
  // A misspelled "dney" is reported as an unknown field instead.
  if (context.issues.length > 0) return;
  const named = EFFECTS.filter((name) => rule[name] !== undefined);
  if (named.length === 1) return;
  const has =
    named.length === 0 ? `neither "allow", "ask" nor "deny"` : named.map((name) => `"${name}"`).join(" and ");
  context.addIssue({ code: "custom", message: `it has ${has}; it must have exactly one of the three` });
});

/** The shape of one rule; rule-mistake.ts checks its meaning. */
// `oneEffect` has checked this, but the type of an object schema cannot express it.
export const ruleSchema = oneEffect.transform((rule) => rule as Rule);

/** A rule file whose rules are not parsed yet. */
export const ruleFileFrame = z.strictObject({
  $schema: z.string().exactOptional(),
  mode: z.enum(MODES).exactOptional().describe("The decision on calls that no rule covers."),
  rules: z.array(z.unknown()),
});

/** The JSON Schema of a rule file, for editors. */
export function rulesJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(ruleFileFrame.extend({ rules: z.array(ruleSchema) }), {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === oneEffect) jsonSchema.oneOf = EFFECTS.map((name) => ({ required: [name] }));
    },
  });
  return { ...schema, title: "Toolgate rules" };
}
