/** Questions of all sessions: the inbox, one question with all that will happen, and its answer. */
import { z } from "zod";
import { GRANT_EXPIRIES, GRANT_SCOPES } from "../../call/index.js";
import type { Answer, DiffContent, Meta } from "../../call/index.js";
import type { DiffCard } from "../../view/index.js";
import { sessionDoor } from "./session-bodies.js";
import { typed } from "./typed.js";
import { keptHunks } from "../../aap/api/request-bodies.js";

/** As in `aap/turns/turn-outlook.ts`. A question whose turn is `gone` can only be refused or looked at. */
const turnLiveness = z.enum(["live", "parked", "gone"]);
export type TurnLiveness = z.output<typeof turnLiveness>;

const questionState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("open") }),
  z.object({
    status: z.literal("answered"),
    at: z.number(),
    isYes: z.boolean(),
    words: z.string().describe("`allowed once by phone`."),
    answer: typed<Answer>(z.looseObject({ by: z.enum(["rule", "person"]), at: z.number() })),
  }),
  z.object({ status: z.literal("withdrawn"), at: z.number(), reason: z.string() }),
]);
export type QuestionState = z.output<typeof questionState>;

/** A row of the inbox. */
export const inboxQuestion = z.object({
  questionId: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  title: z.string().describe("By Toolgate: what the call does."),
  agentTitle: z.string().describe("By the agent; to be shown as a quotation."),
  kind: z.string(),
  tool: z.string(),
  /** One line: the command, the path, the host. */
  subject: z.string(),
  agent: z.string().exactOptional(),
  sessionTitle: z.string(),
  folder: z.string().exactOptional(),
  door: sessionDoor,
  askedAt: z.number(),
  expiresAt: z.number().exactOptional(),
  state: questionState,
  liveness: turnLiveness,
  /** Whether it counts on the badge: open, not expired, and its turn is not gone. */
  isAnswerable: z.boolean(),
  isAged: z.boolean().describe("Answerable, and asked eight hours ago or earlier."),
  /** Equal for questions that may be answered together. */
  likeness: z.string().exactOptional(),
});
export type InboxQuestion = z.output<typeof inboxQuestion>;

export const questionQuery = z.strictObject({
  state: z.enum(["open", "settled", "all"]).describe("`settled`: those of the last hour. (all)").optional(),
});
export type QuestionQuery = z.output<typeof questionQuery>;

export const inbox = z.object({
  questions: z.array(inboxQuestion).describe("The oldest first."),
  answerable: z.number(),
});
export type Inbox = z.output<typeof inbox>;

export const partVerdict = z.enum(["allowed", "asks", "denied"]);
export type PartVerdict = z.output<typeof partVerdict>;

const commandPart = z.object({
  text: z.string().describe("With hidden characters made visible."),
  verdict: partVerdict,
  /** The things that it does, one sentence each, with resolved paths and hosts. */
  effects: z.array(z.string()),
  redirects: z
    .array(z.string())
    .describe("The files that its redirects name, as the shell reads them.")
    .exactOptional(),
  rules: z.array(z.string()).describe("The allowing rules that cover it."),
  needsNoRule: z.boolean(),
  doubts: z.array(z.string()).describe("Why no wide rule covers it."),
  words: z.array(z.object({ word: z.string(), meaning: z.string() })),
});
export type CommandPart = z.output<typeof commandPart>;

export const commandReading = z.object({
  text: z.string().describe("The whole command, with hidden characters made visible."),
  characters: z.number(),
  hiddenCharacters: z.number().describe("How many were invisible or change the direction of text."),
  parts: z.array(commandPart),
  leftOut: z
    .object({ parts: z.number(), asking: z.number().describe("How many of them are not allowed.") })
    .describe("Parts of a very long command that are not listed.")
    .exactOptional(),
  isTooLong: z.literal(true).describe("The command was not taken apart.").exactOptional(),
  doubts: z.array(z.string()).describe("About the whole command."),
});
export type CommandReading = z.output<typeof commandReading>;

const grantWidth = z.object({
  effect: z.enum(["allow", "deny"]),
  width: z.string().describe("Names the width in an answer."),
  subject: z.string().describe("`npx vitest run with harmless flags`."),
  lines: z
    .array(z.object({ text: z.string(), note: z.string().exactOptional() }))
    .describe("The same in lines, one per rule, with short paths."),
  sentence: z.string(),
  rules: z.array(typed<Meta>(z.record(z.string(), z.unknown()))).describe("The exact rules to be stored."),
  ruleTexts: z.array(z.string()).describe("The same as JSON, one line each."),
  ruleNames: z.array(z.string()).describe("The same in words, one line each."),
  examples: z.array(z.string()).describe("Other intents that the rules would decide."),
  frees: z.array(z.string()).describe("Other open questions that this answers."),
});
export type GrantWidth = z.output<typeof grantWidth>;

export const questionDetail = inboxQuestion.extend({
  intentHash: z.string(),
  what: z.object({
    command: commandReading.exactOptional(),
    /** Lines by Toolgate: real paths and link targets, hosts, texts; whole. */
    lines: z.array(z.string()),
    paths: z.array(z.object({ path: z.string(), line: z.number().exactOptional() })),
    diffs: z
      .array(typed<DiffCard>(z.looseObject({ heading: z.string(), rows: z.array(z.looseObject({})) })))
      .describe("Exact and whole."),
    changes: z
      .array(typed<DiffContent>(z.looseObject({ path: z.string() })))
      .describe("The same as texts, for word marks and a split view."),
    hunks: z
      .array(typed<DiffCard>(z.looseObject({ heading: z.string(), rows: z.array(z.looseObject({})) })))
      .describe("The same hunk by hunk, where an answer may keep some: `keptHunks` counts them from 1.")
      .exactOptional(),
    rawInput: z.unknown().optional(),
    hiddenCharacters: z.number(),
    mixedWords: z.array(z.string()).describe("One sentence for each word with letters of several alphabets."),
    warning: z.string().describe("Why the call may do something else than it shows.").exactOptional(),
  }),
  why: z.object({
    reason: z.string(),
    rule: z
      .object({
        text: z.string(),
        from: z.enum(["user", "project", "grant", "mode", "unknown"]),
        file: z.string().exactOptional(),
        isOfThisAnswer: z
          .literal(true)
          .describe("The answer to this very question made the rule.")
          .exactOptional(),
      })
      .exactOptional(),
    mode: z.string().exactOptional(),
    notContained: z.string().describe("Why it does not run in the sandbox.").exactOptional(),
  }),
  answers: z.object({
    once: z.boolean(),
    session: z.boolean(),
    always: z
      .array(grantWidth)
      .describe("The one that people mean first; empty where no rule can answer it."),
    never: z.array(grantWidth),
    edit: z.boolean().describe("Whether a changed input is taken."),
    whyNotAlways: z.string().exactOptional(),
    alike: z.array(z.string()).describe("Other open questions that may get the same answer."),
  }),
  /** Whether this server goes on with the turn after the answer, or another process does. */
  resumes: z.enum(["here", "elsewhere", "later"]),
});
export type QuestionDetail = z.output<typeof questionDetail>;

export const earlierAnswers = z
  .object({
    allowed: z.number(),
    refused: z.number(),
    since: z.number().exactOptional(),
    lastCalls: z.number().describe("Given where only so many calls were looked at.").exactOptional(),
  })
  .describe("Answers of people to the same call before, of whichever agent.");
export type EarlierAnswers = z.output<typeof earlierAnswers>;

export const answerRequest = z
  .strictObject({
    reply: z
      .enum(["once", "session", "always", "no", "never"])
      .describe("`session` and `always` store a rule; `no` is once, `never` stores one."),
    width: z
      .string()
      .min(1)
      .describe("One of the question's widths; its first one unless given.")
      .exactOptional(),
    rules: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(20)
      .describe("With a wide yes: allowing rules of your own, stored in place of those of the width.")
      .exactOptional(),
    scope: z.enum(GRANT_SCOPES).describe("Where an `always` or `never` holds (project).").exactOptional(),
    expires: z.enum(GRANT_EXPIRIES).describe("When an `always` ends (none).").exactOptional(),
    reason: z.string().max(10_000).describe("For the model.").exactOptional(),
    input: z.unknown().describe("With a yes: the input to run instead; checked like a new one.").optional(),
    keptHunks: keptHunks.exactOptional(),
    alike: z
      .array(z.string())
      .describe("Also answers these questions, each once, where they are alike.")
      .exactOptional(),
    intentHash: z.string().describe("The intent that was shown: nothing else is allowed.").exactOptional(),
  })
  .refine(
    ({ reply, width, rules, scope, expires }) =>
      reply === "always" ||
      reply === "never" ||
      reply === "session" ||
      [width, rules, scope, expires].every((field) => field === undefined),
    {
      error: '"width", "rules", "scope" and "expires" go with "always", "session" or "never"',
    },
  )
  .refine(({ reply, keptHunks: kept, alike }) => kept === undefined || (reply === "once" && !alike), {
    error: '"keptHunks" goes with "once", and with no other question',
  });
export type AnswerRequest = z.input<typeof answerRequest>;

export const answered = z.object({
  questionId: z.string(),
  counted: z.boolean(),
  answer: typed<Answer>(z.looseObject({ by: z.enum(["rule", "person"]), at: z.number() })),
  words: z.string(),
  /** The other questions that took the answer, and those that did not with the reason. */
  alike: z.array(z.string()),
  notTaken: z.array(z.object({ questionId: z.string(), why: z.string() })),
  notStored: z
    .string()
    .describe(
      "Why the rule of a `session`, `always` or `never` was not stored; the answer holds for this once.",
    )
    .exactOptional(),
  resumes: z.enum(["here", "elsewhere", "later"]),
});
export type Answered = z.output<typeof answered>;

export const questionLinkRequest = z.strictObject({
  minutes: z
    .number()
    .int()
    .min(1)
    .max(24 * 60)
    .default(60),
});
export type QuestionLinkRequest = z.input<typeof questionLinkRequest>;

/** A link that answers one question once without a paired device. A GET never uses it up. */
export const questionLink = z.object({ url: z.string(), expiresAt: z.number() });
export type QuestionLink = z.output<typeof questionLink>;

/** The key stands behind the # of the link, and is sent as `x-toolgate-link`. */
export const linkedAnswerRequest = z.strictObject({
  reply: z.enum(["once", "no"]),
  reason: z.string().max(2_000).describe("For the model.").exactOptional(),
  intentHash: z.string().describe("The intent that was shown: nothing else is allowed."),
});
export type LinkedAnswerRequest = z.input<typeof linkedAnswerRequest>;
