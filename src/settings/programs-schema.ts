/** The schema of program descriptions, ours and a user's. Strict: a misspelled restriction would have no effect. */
import { z } from "zod";
import type { ProgramData, ProgramFile } from "../policy/index.js";

const text = z.union([z.string(), z.array(z.string())]);
const pattern = z.string().min(1);

const clause = z.strictObject({
  with: text.exactOptional().describe("Flags of which one must be there."),
  without: text.exactOptional().describe("Flags of which none may be there."),
  first: pattern.exactOptional().describe("A pattern that the first word must match."),
  notFirst: pattern.exactOptional().describe("A pattern that the first word must not match."),
  count: z
    .string()
    .regex(/^\d+\+?$/)
    .exactOptional()
    .describe("How many words there must be: 0, 1, 1+, 2+."),
  of: z
    .enum(["all", "first", "second", "third", "rest", "after second", "last", "but last"])
    .exactOptional()
    .describe("Which words are picked; all when left out."),
  values: text.exactOptional().describe("Flags whose values are picked in place of words."),
  path: z.string().exactOptional().describe("A path that is picked in place of words."),
  like: pattern.exactOptional().describe("Only those of the picked words that match."),
  unlike: pattern.exactOptional().describe("Only those of the picked words that do not match."),
  or: z.string().exactOptional().describe("The words that are picked when nothing else is."),
  does: z
    .enum([
      "read",
      "edit",
      "delete",
      "move",
      "fetch",
      "send",
      "install",
      "publish",
      "deploy",
      "reveal",
      "run",
    ])
    .exactOptional(),
  below: z.literal(true).exactOptional().describe("The effect may meet anything below the picked folder."),
  doubt: z.string().min(1).exactOptional().describe("Why a person is asked; % stands for the word."),
});

const program: z.ZodType<ProgramData> = z.lazy(() =>
  z.strictObject({
    from: z.string().exactOptional().describe("Which of the sources the description comes from."),
    uses: z.array(z.string()).exactOptional().describe("Shared groups of flags."),
    takes: text
      .exactOptional()
      .describe("The flags there are, and what each takes: -a -n= --color? -e=~ -W*"),
    reads: text.exactOptional().describe("Flags whose value is a path that is read."),
    edits: text.exactOptional().describe("Flags whose value is a path that is written."),
    fetches: text.exactOptional().describe("Flags whose value is a host or an address."),
    changes: text.exactOptional().describe("Flags after which the program no longer only reads."),
    doubts: z
      .record(z.string(), z.string().min(1))
      .exactOptional()
      .describe("Flags that are not harmless, and why."),
    words: z
      .enum(["text", "verbatim", "none", "read", "edit", "delete", "fetch", "copy", "pattern, read"])
      .exactOptional(),
    does: z.array(clause).exactOptional(),
    style: z.enum(["anywhere", "first", "whole"]).exactOptional(),
    numbers: z.boolean().exactOptional(),
    plus: pattern.exactOptional(),
    onlyReads: z.boolean().exactOptional(),
    answers: z
      .enum(["alone", "everywhere"])
      .exactOptional()
      .describe("Where --help or --version alone is answered without reading the folder."),
    choices: z
      .record(z.string(), pattern)
      .exactOptional()
      .describe("Flags whose values are a closed set, and the pattern of these values."),
    subcommands: z.record(z.string(), program).exactOptional(),
    inherits: z.boolean().exactOptional(),
    bare: z.string().min(1).exactOptional(),
    reader: z.string().exactOptional(),
  }),
);

const source = z.strictObject({ program: z.string(), version: z.string(), list: z.string() });

export const programFileSchema: z.ZodType<ProgramFile> = z.strictObject({
  $schema: z.string().exactOptional(),
  sources: z.record(z.string(), source).default({}),
  shared: z.record(z.string(), program).exactOptional(),
  programs: z.record(z.string().min(1), program),
});

/** The JSON Schema of such a file, for editors. */
export function programsJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(programFileSchema, { io: "input" }), title: "Toolgate programs" };
}
