/** The bodies of requests, checked. Fields that we do not know are passed over. */
import { z } from "zod";
import { isTooDeep } from "./json-depth.js";
import { AapProblem } from "./aap-problem.js";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const thinkingBlock = z.object({ type: z.literal("thinking"), thinking: z.string() });
const toolUseBlock = z.object({
  type: z.literal("tool_use"),
  toolCallId: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** Pictures come with the request: nothing is ever fetched for an app, from wherever its address leads. */
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

/** What a person says, and what an app's tool gives back. Only an assistant thinks or uses tools. */
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

const seedMessage = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("system"), content: textContent }),
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
});
export type NewSessionBody = z.output<typeof newSession>;

const turnMessage = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: inputContent }),
    z.object({ role: z.literal("tool"), toolCallId: z.string().min(1), content: inputContent }),
    z.object({
      role: z.literal("tool_permission"),
      toolCallId: z.string().min(1),
      granted: z.boolean(),
      reason: z.string().exactOptional(),
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
});
export type TurnBody = z.output<typeof turnRequest>;

/** The whole turn, or one call of it. */
export const cancelRequest = z.object({
  toolCallId: z.string().min(1).exactOptional(),
  reason: z.string().exactOptional(),
});
export type CancelBody = z.output<typeof cancelRequest>;

/** One of the question's own options, or plain yes or no. */
export const answerRequest = z
  .object({
    optionId: z.string().min(1).exactOptional(),
    granted: z.boolean().exactOptional(),
    reason: z.string().exactOptional(),
    /** What the yes is for: as the question said it, for whoever wants to be sure. */
    intentHash: z.string().exactOptional(),
  })
  .refine(({ optionId, granted }) => (optionId === undefined) !== (granted === undefined), {
    error: 'an answer has either an "optionId" of the question or "granted": true or false',
  });
export type AnswerBody = z.output<typeof answerRequest>;

/**
 * A page of another site can make a browser send a form or a text without asking, but not JSON: so only
 * what calls itself JSON is read.
 */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new AapProblem("NOT_JSON", 'The content type must be "application/json". Nothing was done.');
  }
  const text = await readText(request);
  if (isTooDeep(text)) throw new AapProblem("BAD_REQUEST", "The body is nested too deep. Nothing was done.");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AapProblem("BAD_REQUEST", "The body is not JSON. Nothing was done.");
  }
  return checkedBody(json, schema);
}

export function checkedBody<Schema extends z.ZodType>(json: unknown, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new AapProblem(
    "BAD_REQUEST",
    `The request is not valid: ${z.prettifyError(parsed.error)}\nNothing was done.`,
  );
}

const MAX_BYTES = 8 * 1024 * 1024;

async function readText(request: Request): Promise<string> {
  const said = Number(request.headers.get("content-length") ?? Number.NaN);
  // Node reads just as much as the head says; the whole is then read several times faster than piece by piece.
  if (said <= MAX_BYTES) return request.text();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.byteLength;
    if (length > MAX_BYTES) {
      throw new AapProblem("TOO_LARGE", `The body has more than ${MAX_BYTES} bytes. Nothing was done.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
