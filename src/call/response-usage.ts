/** The usage of each of the model's responses in a session: steps, the steps of sub-agents, and summaries. */
import type { SessionBook } from "./session-book.js";
import type { Usage } from "./step.js";

/** Undefined for a response whose provider reported no usage. With a turn's id, only the responses of that turn. */
export function responseUsage(book: SessionBook, turnId?: string): readonly (Usage | undefined)[] {
  const isMeant = (one: { readonly turnId?: string }) => turnId === undefined || one.turnId === turnId;
  const steps = book.steps.filter(isMeant);
  const ofSubAgents = steps
    .flatMap(({ toolCallIds }) => toolCallIds)
    .flatMap((toolCallId) => book.call(toolCallId)?.childSteps ?? []);
  const summaries = book.compactions.filter(isMeant);
  return [...steps, ...ofSubAgents, ...summaries].map(({ usage }) => usage);
}
