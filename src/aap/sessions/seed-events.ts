/**
 * Earlier messages that an app sends with a new session. They are kept as they were given, for the history, and recorded as
 * turns that are over, for the model. Calls in them become text there: only a call that this server recorded itself can
 * ever be granted, answered or run. System messages join the agent's instructions.
 */
import { z } from "zod";
import { thoughtIdOf } from "../../call/index.js";
import type { ContentBlock, Meta, RecordedEvent, SessionEvent } from "../../call/index.js";
import { blocksOf } from "../api/content-blocks.js";
import { seedMessage } from "../api/request-bodies.js";
import type { SeedMessage } from "../api/request-bodies.js";

type Chunk = { readonly role: "user" | "agent" | "thought"; readonly block: ContentBlock };

/** The messages as they were given, and how many events after this one record them. */
const storedSeed = z.object({ messages: z.array(seedMessage), events: z.number() });

const NAME = "aapSeed";

/** Part of the first event of a session; later settings leave it out, since it may be long. */
export const seedMeta = (messages: readonly SeedMessage[], events: readonly SessionEvent[]): Meta =>
  messages.length === 0 ? {} : { [NAME]: { messages, events: events.length } };

export function withoutSeed(meta: Meta | null | undefined): Meta {
  const { [NAME]: _seed, ...rest } = meta ?? {};
  return rest;
}

/** The messages of a session's start. The events up to `lastSeq` record them and nothing else. */
export type Seed = { readonly messages: readonly SeedMessage[]; readonly lastSeq: number };

const NO_SEED: Seed = { messages: [], lastSeq: 0 };

export function seedOf([first]: readonly RecordedEvent[]): Seed {
  const stored = first?.event.type === "info-changed" ? first.event.info._meta?.[NAME] : undefined;
  if (!first || stored === undefined) return NO_SEED;
  const parsed = storedSeed.safeParse(stored);
  return parsed.success
    ? { messages: parsed.data.messages, lastSeq: first.seq + parsed.data.events }
    : NO_SEED;
}

/** The app's instructions for the model. */
export function seededInstructions({ messages }: Seed): readonly string[] {
  return messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
}

/** Ids that calls of the session must not have: the app would take one of these for another. */
export function seededCallIds({ messages }: Seed): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) => {
      if (message.role === "tool") return [message.toolCallId];
      if (message.role !== "assistant" || typeof message.content === "string") return [];
      return message.content.flatMap((block) => (block.type === "tool_use" ? [block.toolCallId] : []));
    }),
  );
}

/** Ids are made as the agent makes those of its turns and steps: from the number of their first event in the log. */
export function seedEvents(
  messages: readonly SeedMessage[],
  { after, at }: { readonly after: number; readonly at: number },
): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let turnId: string | undefined;
  const endTurn = () => {
    if (turnId !== undefined) events.push({ type: "turn-stopped", at, turnId, stopReason: "end_turn" });
  };
  const startTurn = (): string => {
    endTurn();
    const started = `turn_${after + events.length + 1}`;
    events.push({ type: "turn-started", at, turnId: started });
    turnId = started;
    return started;
  };
  const add = (messageId: string, { role, block }: Chunk) =>
    events.push({
      type: "message-chunk",
      at,
      messageId: role === "thought" ? thoughtIdOf(messageId) : messageId,
      role,
      block,
    });
  for (const message of messages) {
    if (message.role === "system") continue;
    const chunks = chunksOf(message);
    if (message.role !== "assistant") {
      const started = startTurn();
      for (const one of chunks) add(`user-${started}`, one);
    } else {
      // A greeting comes before any message of the user's.
      const current = turnId ?? startTurn();
      const stepId = `step_${after + events.length + 1}`;
      for (const one of chunks) add(stepId, one);
      events.push({ type: "step-ended", at, turnId: current, stepId, toolCallIds: [] });
    }
  }
  endTurn();
  return events;
}

function chunksOf(message: Exclude<SeedMessage, { role: "system" }>): readonly Chunk[] {
  switch (message.role) {
    case "user":
      return blocksOf(message.content).map((block) => ({ role: "user", block }));
    case "tool":
      return [
        text("user", `[Said by the app to be the result of tool call ${message.toolCallId}:]`),
        ...blocksOf(message.content).map((block): Chunk => ({ role: "user", block })),
      ];
    case "assistant": {
      const { content } = message;
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return blocks.map((block, index) => {
        if (block.type === "text") return { role: "agent", block };
        if (block.type === "thinking") return text("thought", block.thinking);
        const { name, toolCallId, input } = block;
        const gap = blocks.slice(0, index).some(({ type }) => type !== "thinking") ? "\n" : "";
        return text("agent", `${gap}[Tool call ${toolCallId}: ${name} ${JSON.stringify(input ?? {})}]`);
      });
    }
    default:
      return message satisfies never;
  }
}

const text = (role: Chunk["role"], words: string): Chunk => ({ role, block: { type: "text", text: words } });
