/** The bodies of requests, checked. Fields that we do not know are passed over. */
import { z } from "zod";
import { AapProblem } from "./problem.js";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });

/** Images are not among our capabilities, and only an assistant thinks or uses tools. */
export const textContent = z.union([z.string(), z.array(textBlock)], {
  error: "must be a text, or a list of text blocks",
});
export type TextContent = z.output<typeof textContent>;

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
    z.object({ role: z.literal("user"), content: textContent }),
    z.object({ role: z.literal("assistant"), content: textContent }),
  ],
  { error: 'a session starts with messages of the roles "user" and "assistant" only' },
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
    z.object({ role: z.literal("user"), content: textContent }),
    z.object({ role: z.literal("tool"), toolCallId: z.string().min(1), content: textContent }),
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

export const turnRequest = z.object({
  agent: overrides.exactOptional(),
  stream: z.enum(["delta", "message", "none"]).default("none"),
  messages: z.array(turnMessage).min(1),
  tools: z.array(toolSpec).exactOptional(),
});
export type TurnBody = z.output<typeof turnRequest>;

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
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AapProblem("BAD_REQUEST", "The body is not JSON. Nothing was done.");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new AapProblem(
    "BAD_REQUEST",
    `The request is not valid: ${z.prettifyError(parsed.error)}\nNothing was done.`,
  );
}

const MAX_BYTES = 8 * 1024 * 1024;

async function readText({ body }: Request): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > MAX_BYTES) {
      throw new AapProblem("TOO_LARGE", `The body has more than ${MAX_BYTES} bytes. Nothing was done.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
