/** One call: its whole card, its content as recorded, its life event by event, and whether it can be undone. */
import { z } from "zod";
import type { SessionEvent, ToolCallContent } from "../../call/index.js";
import type { CallCard, DiffCard } from "../../view/index.js";
import { typed } from "./typed.js";

const lifeEvent = z.object({
  seq: z.number(),
  at: z.number(),
  type: z.string().describe("The type of the recorded event."),
  words: z.string().describe("One line for people."),
});
export type LifeEvent = z.output<typeof lifeEvent>;

export const callDetail = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  /** With every line of its blocks. */
  card: typed<CallCard>(z.looseObject({ toolCallId: z.string() })),
  diffs: z
    .array(typed<DiffCard>(z.looseObject({ heading: z.string(), rows: z.array(z.looseObject({})) })))
    .describe("Whole."),
  content: z
    .array(typed<ToolCallContent>(z.looseObject({ type: z.enum(["content", "diff", "terminal"]) })))
    .describe("As recorded: images, JSON, terminal output with its colours."),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  /** The input as the model wrote it, where a person changed it before the yes. */
  originalInput: z.unknown().optional(),
  life: z.array(lifeEvent),
  undo: z.object({
    isPossible: z.boolean(),
    why: z.string().exactOptional(),
    paths: z.array(z.string()),
    /** The kept bytes of a path before the call: `GET /api/blobs/{blob}`. */
    kept: z.array(z.object({ path: z.string(), blob: z.string() })),
  }),
});
export type CallDetail = z.output<typeof callDetail>;

/** Recorded events of the call; `GET …/calls/{id}/events`. */
export const callEvents = z.object({
  events: z.array(
    z.object({
      seq: z.number(),
      event: typed<SessionEvent>(z.looseObject({ type: z.string(), at: z.number() })),
    }),
  ),
});
export type CallEvents = z.output<typeof callEvents>;
