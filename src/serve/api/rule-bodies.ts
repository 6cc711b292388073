/** Rules and grants: the list with sources and use counts, tests, changes, trust, suggestions. */
import { z } from "zod";
import { GRANT_EXPIRIES, GRANT_SCOPES } from "../../call/index.js";
import { GRANT_AUTHORS } from "../../policy/grants/grant.js";
import { commandReading, partVerdict } from "./question-bodies.js";

export const folderQuery = z.strictObject({
  folder: z.string().describe("The project; the server's own folder unless given.").optional(),
});
export type FolderQuery = z.output<typeof folderQuery>;

/** As in a rule file: `{"allow": "execute", "command": "npm test"}`. */
const rule = z.record(z.string(), z.unknown());

const listedRule = z.object({
  /** Missing for rules of files, which are edited there. */
  grantId: z.string().exactOptional(),
  effect: z.enum(["allow", "ask", "deny"]),
  rule,
  text: z.string().describe("The rule in one line."),
  sentence: z.string().exactOptional(),
  reason: z.string().describe("Why its author wrote it.").exactOptional(),
  from: z.enum(["user", "project", "grant", "mode"]),
  file: z.string(),
  scope: z.enum(GRANT_SCOPES),
  /** The project of a rule with that scope, or the session. */
  where: z.string().exactOptional(),
  createdAt: z.number().exactOptional(),
  addedBy: z
    .enum(GRANT_AUTHORS)
    .describe("How a remembered rule came without an answer: a person wrote it, or took a suggested one.")
    .exactOptional(),
  expiresAt: z.number().exactOptional(),
  isOver: z.boolean().describe("The rule has expired and allows nothing."),
  uses: z.number().describe("How many recorded calls it decided, of the last 30 days."),
  breaches: z.number(),
  /** Why it is not in force. */
  ignored: z.string().exactOptional(),
});
export type ListedRule = z.output<typeof listedRule>;

export const ruleList = z.object({
  folder: z.string(),
  mode: z.string(),
  rules: z.array(listedRule),
  problems: z.array(z.string()),
  project: z
    .object({ file: z.string(), sha256: z.string(), isTrusted: z.boolean(), text: z.string() })
    .describe("The project's own rule file. Until it is trusted, it only tightens.")
    .exactOptional(),
});
export type RuleList = z.output<typeof ruleList>;

export const ruleTest = z
  .strictObject({
    folder: z.string().exactOptional(),
    command: z.string().exactOptional(),
    read: z.string().exactOptional(),
    write: z.string().exactOptional(),
    delete: z.string().exactOptional(),
    url: z.string().exactOptional(),
  })
  .refine(
    ({ command, read, write, delete: deleted, url }) =>
      [command, read, write, deleted, url].filter((one) => one !== undefined).length === 1,
    { error: "give exactly one of command, read, write, delete and url" },
  );
export type RuleTest = z.input<typeof ruleTest>;

export const ruleTested = z.object({
  verdict: partVerdict,
  isContained: z.boolean().describe("The command would run unasked in the sandbox."),
  rule: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  command: commandReading.exactOptional(),
  /** Rules that would let it run unasked. */
  wouldAllow: z.array(z.object({ rule, text: z.string() })),
});
export type RuleTested = z.output<typeof ruleTested>;

export const newRule = z.strictObject({
  rule,
  scope: z.enum(["project", "user"]).default("project"),
  folder: z.string().exactOptional(),
  expires: z.enum(GRANT_EXPIRIES).default("none"),
  isSuggested: z.boolean().describe("The rule is a suggestion that a person took.").default(false),
});
export type NewRule = z.input<typeof newRule>;

export const addedRule = z.object({
  grantId: z.string(),
  text: z.string(),
  warning: z.string().exactOptional(),
});
export type AddedRule = z.output<typeof addedRule>;

export const trustRequest = z.strictObject({
  folder: z.string().exactOptional(),
  sha256: z.string().describe("The hash of the content that was shown."),
});
export type TrustRequest = z.input<typeof trustRequest>;

export const suggestionQuery = folderQuery.extend({
  days: z.coerce.number().int().min(1).max(365).describe("How many days of the record (14).").optional(),
});
export type SuggestionQuery = z.output<typeof suggestionQuery>;

export const suggestions = z.object({
  folder: z.string(),
  days: z.number(),
  commands: z.number().describe("How many recorded commands were replayed."),
  suggestions: z.array(
    z.object({
      id: z.string(),
      rule,
      text: z.string(),
      from: z.array(z.string()).describe("Files that name such a command."),
      saved: z.number().describe("Recorded questions that the rule would have saved."),
      allowed: z.number().describe("How many of them a person answered with yes."),
      saves: z.array(z.string()).describe("The commands of these, each once."),
      alsoLets: z
        .array(z.string())
        .describe("Recorded commands that would have run unasked too, and that nobody has allowed yet."),
    }),
  ),
});
export type Suggestions = z.output<typeof suggestions>;
