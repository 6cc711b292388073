/** The permanent text of a conversation beside its messages and calls: greeting, typed lines, next steps. */
import type { TurnEnd } from "../../agent/index.js";
import { visibleText } from "../../call/index.js";
import type { SessionBook } from "../../call/index.js";
import { rows } from "../../view/visible-line.js";
import { endText } from "../run-turn.js";
import { shortId } from "../short-id.js";

export function greetingText(agent: string, folder: string, width: number): string {
  const line = `Talking with ${visibleText(agent)} in ${visibleText(folder)}. /help shows the commands.`;
  return `${wrapped(line, width)}\n\n`;
}

/** The message for a turn that has no answer to show, or that did not end normally. */
export function chatEndText(
  end: TurnEnd,
  book: Pick<SessionBook, "openCalls" | "snapshot">,
): string | undefined {
  if (end.status === "parked") {
    const isAsked = book
      .openCalls()
      .some(({ state }) => state.status === "waiting" && state.waitingFor.type === "question");
    return isAsked ? endText(end) : "The turn was interrupted; resume the session to continue it.";
  }
  const last = book.snapshot().timeline.at(-1);
  const isSilent = last?.type === "message" && last.message.role === "user";
  return endText(end) ?? (isSilent ? "The agent ended its turn without a message or a call." : undefined);
}

/** Our own text in rows of the width, each of its lines on its own. */
export const wrapped = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => rows(line, { first: "", next: "  " }, width))
    .join("\n");

/** A message or a command as the person typed it. */
export function typedRows(text: string, width: number): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      rows(visibleText(line), { first: index === 0 ? "> " : "  ", next: "  " }, width),
    );
}

/** How to continue a conversation that the person left. */
export function resumeHint(
  sessionId: string,
  { agent, url }: { readonly agent?: string; readonly url?: string },
): string {
  const how = url === undefined ? (agent === undefined ? "" : ` --agent '${agent}'`) : ` --url ${url}`;
  return `Continue it: toolgate chat${visibleText(how)} --resume ${visibleText(url === undefined ? shortId(sessionId) : sessionId)}`;
}
