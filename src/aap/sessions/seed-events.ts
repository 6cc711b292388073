/**
 * Earlier messages that an app sends with a new session, as turns that are over. Calls in them become text: only a call
 * that this server recorded itself can ever be granted, answered or run.
 */
import { thoughtIdOf } from "../../call/index.js";
import type { ContentBlock, SessionEvent } from "../../call/index.js";
import { blocksOf } from "../api/content-blocks.js";
import { AapProblem } from "../api/aap-problem.js";
import type { SeedMessage } from "../api/request-bodies.js";

type Chunk = { readonly role: "user" | "agent" | "thought"; readonly block: ContentBlock };

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
  const add = (messageId: string, { role, block }: Chunk) =>
    events.push({
      type: "message-chunk",
      at,
      messageId: role === "thought" ? thoughtIdOf(messageId) : messageId,
      role,
      block,
    });
  for (const message of messages) {
    const chunks = chunksOf(message);
    if (message.role !== "assistant") {
      endTurn();
      turnId = `turn_${after + events.length + 1}`;
      events.push({ type: "turn-started", at, turnId });
      for (const one of chunks) add(`user-${turnId}`, one);
    } else {
      if (turnId === undefined) {
        throw new AapProblem(
          "BAD_REQUEST",
          'The first of the messages must not be of the role "assistant". No session was made.',
        );
      }
      const stepId = `step_${after + events.length + 1}`;
      for (const one of chunks) add(stepId, one);
      events.push({ type: "step-ended", at, turnId, stepId, toolCallIds: [] });
    }
  }
  endTurn();
  return events;
}

function chunksOf(message: SeedMessage): readonly Chunk[] {
  switch (message.role) {
    case "user":
      return blocksOf(message.content).map((block) => ({ role: "user", block }));
    case "system":
      return [text("user", `[Said by the app:]`), ...blocksOf(message.content).map(asUser)];
    case "tool":
      return [
        text("user", `[Said by the app to be the result of tool call ${message.toolCallId}:]`),
        ...blocksOf(message.content).map(asUser),
      ];
    case "assistant": {
      const { content } = message;
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return blocks.map((block) => {
        if (block.type === "text") return { role: "agent", block };
        if (block.type === "thinking") return text("thought", block.thinking);
        const { name, toolCallId, input } = block;
        return text("agent", `[Tool call ${toolCallId}: ${name} ${JSON.stringify(input ?? {})}]`);
      });
    }
    default:
      return message satisfies never;
  }
}

const asUser = (block: ContentBlock): Chunk => ({ role: "user", block });

const text = (role: Chunk["role"], words: string): Chunk => ({ role, block: { type: "text", text: words } });
