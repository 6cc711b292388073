/**
 * The schemas of request bodies. Unknown fields are ignored, except inside a permission and an answer: there a field that
 * the server does not know may be a condition of the yes.
 */
import { z } from "zod";
import { GRANT_EXPIRIES, GRANT_SCOPES } from "../../call/index.js";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const thinkingBlock = z.object({ type: z.literal("thinking"), thinking: z.string() });
const toolUseBlock = z.object({
  type: z.literal("tool_use"),
  toolCallId: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** Images come with the request: the server never fetches a URL for an app. */
const imageBlock = z.object({
  type: z.literal("image"),
  url: z
    .string()
    .regex(
      /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/,
      'an image must be a "data:" URL of a PNG, JPEG, GIF or WebP in base64; addresses are not fetched',
    ),
});

const textContent = z.union([z.string(), z.array(textBlock)], {
  error: "must be a text, or a list of text blocks",
});

/** A user message, and the result of an app's tool. Only an assistant thinks or uses tools. */
const inputContent = z.union([z.string(), z.array(z.discriminatedUnion("type", [textBlock, imageBlock]))]);
export type InputContent = z.output<typeof inputContent>;

const assistantContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [textBlock, thinkingBlock, toolUseBlock])),
]);

export const toolSpec = z.object({
  name: z.string().min(1),
  title: z.string().exactOptional(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});

export const serverToolRef = z.object({ name: z.string().min(1), trust: z.boolean().default(false) });

const overrides = z.object({
  name: z.string().exactOptional(),
  tools: z.array(serverToolRef).exactOptional(),
  options: z.record(z.string(), z.string()).exactOptional(),
});
export type AgentOverrides = z.output<typeof overrides>;

/** Ten years. */
const MAX_LIFETIME_MS = 10 * 365 * 24 * 3_600_000;

const questionLifetimeMs = z
  .int()
  .min(1)
  .max(MAX_LIFETIME_MS)
  .describe(
    "How long a question of this session can be answered with yes, in milliseconds; lasts until changed.",
  );

/** The protocol has text here; a list of texts is read as lines. */
const systemContent = textContent.transform((content) =>
  typeof content === "string" ? content : content.map((block) => block.text).join("\n"),
);

export const seedMessage = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("system"), content: systemContent }),
    z.object({ role: z.literal("user"), content: inputContent }),
    z.object({ role: z.literal("assistant"), content: assistantContent }),
    z.object({ role: z.literal("tool"), toolCallId: z.string(), content: inputContent }),
  ],
  { error: 'a session starts with messages of the roles "system", "user", "assistant" and "tool"' },
);
export type SeedMessage = z.output<typeof seedMessage>;

export const newSession = z.object({
  agent: overrides.extend({ name: z.string().min(1) }),
  messages: z.array(seedMessage).exactOptional(),
  tools: z.array(toolSpec).exactOptional(),
  questionLifetimeMs: questionLifetimeMs.exactOptional(),
});
export type NewSessionBody = z.output<typeof newSession>;

const editedInput = z
  .record(z.string(), z.unknown())
  .describe("With a yes: the call runs with this input instead of the one that was asked about.");

const MAX_KEPT_HUNKS = 10_000;

export const keptHunks = z
  .array(z.int().min(1))
  .min(1)
  .max(MAX_KEPT_HUNKS)
  .describe(
    "With a yes: the hunks of the question's diff to apply, counted from 1; the others are rejected. Where the question has `hunks`.",
  );

const MAX_WHO_CHARACTERS = 200;

const answeredBy = z
  .string()
  .min(1)
  .max(MAX_WHO_CHARACTERS)
  .describe("The person who answers, for the record.");

const turnMessage = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: inputContent }),
    z.object({ role: z.literal("tool"), toolCallId: z.string().min(1), content: inputContent }),
    z.strictObject({
      role: z.literal("tool_permission"),
      toolCallId: z.string().min(1),
      granted: z.boolean(),
      reason: z.string().exactOptional(),
      input: editedInput.exactOptional(),
      who: answeredBy.exactOptional(),
    }),
  ],
  { error: 'a turn takes messages of the roles "user", "tool" and "tool_permission"' },
);
export type TurnMessageBody = z.output<typeof turnMessage>;

export const streamMode = z.enum(["delta", "message", "none"]);

export const turnRequest = z.object({
  agent: overrides.exactOptional(),
  stream: streamMode.default("none"),
  messages: z.array(turnMessage).min(1),
  tools: z.array(toolSpec).exactOptional(),
  questionLifetimeMs: questionLifetimeMs.exactOptional(),
});
export type TurnBody = z.output<typeof turnRequest>;

/** The whole turn, or one call of it. */
export const cancelRequest = z.object({
  toolCallId: z.string().min(1).exactOptional(),
  reason: z.string().exactOptional(),
});
export type CancelBody = z.output<typeof cancelRequest>;

/** An option of the question, or a plain yes or no. */
export const answerRequest = z
  .strictObject({
    optionId: z.string().min(1).exactOptional(),
    granted: z.boolean().exactOptional(),
    reason: z.string().exactOptional(),
    input: editedInput.exactOptional(),
    keptHunks: keptHunks.exactOptional(),
    who: answeredBy.exactOptional(),
    width: z
      .string()
      .min(1)
      .describe('With an "always" or "never": a width of the question. The option\'s own when left out.')
      .exactOptional(),
    scope: z.enum(GRANT_SCOPES).describe("Where the rule holds; `user` is everywhere.").exactOptional(),
    expires: z
      .enum(GRANT_EXPIRIES)
      .describe("When an allowing rule ends; `month` is 30 days.")
      .exactOptional(),
    alike: z
      .boolean()
      .describe("Answers all open questions of the session that have the same `likeness`, for this once.")
      .exactOptional(),
    /** The intent that the yes is for, as the question had it: a client that sends it grants nothing else. */
    intentHash: z.string().exactOptional(),
  })
  .refine(({ optionId, granted }) => (optionId === undefined) !== (granted === undefined), {
    error: 'an answer has either an "optionId" of the question or "granted": true or false',
  })
  .refine(
    ({ granted, width, scope, expires }) =>
      granted === undefined || [width, scope, expires].every((field) => field === undefined),
    { error: '"width", "scope" and "expires" go with the "optionId" of an "always" or "never"' },
  )
  .refine(
    ({ input, keptHunks: kept, granted, alike }) =>
      (input ?? kept) === undefined || (granted !== false && alike !== true),
    {
      error: '"input" and "keptHunks" go with a yes to this one question',
    },
  );
export type AnswerBody = z.output<typeof answerRequest>;
