/** The permanent text of a conversation beside its messages and calls: greeting, earlier part, what was typed. */
import type { TurnEnd } from "../../agent/index.js";
import { isOver, pluralize, visibleText } from "../../call/index.js";
import type { Session, SessionBook } from "../../call/index.js";
import { sessionText } from "../../view/index.js";
import { rows } from "../../view/visible-line.js";
import { endText } from "../run-turn.js";
import { shortId } from "../short-id.js";

const MAX_SHOWN_LINES = 40;

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
    return isAsked ? endText(end) : "The turn was left before its end; it goes on when you resume it.";
  }
  const last = book.snapshot().timeline.at(-1);
  const isSilent = last?.type === "message" && last.message.role === "user";
  return endText(end) ?? (isSilent ? "The agent has ended its turn without a word or a call." : undefined);
}

/** Our own text in rows of the width, each of its lines on its own. */
export const wrapped = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => rows(line, { first: "", next: "  " }, width))
    .join("\n");

/** The end of a conversation that was resumed. */
export function recentText(session: Session, width: number): string {
  const lines = sessionText(endedPart(session), { width }).split("\n");
  const hidden = Math.max(0, lines.length - MAX_SHOWN_LINES);
  const before =
    hidden > 0
      ? `… ${pluralize(hidden, "line")} before: toolgate history show ${shortId(session.sessionId)}\n`
      : "";
  return `${before}${lines.slice(hidden).join("\n")}\n\n`;
}

/** Without the calls and questions that are open: these are shown as they go on. */
const endedPart = (session: Session): Session => ({
  ...session,
  questions: [],
  turns: session.turns.filter(({ state }) => state.status === "stopped"),
  timeline: session.timeline.filter((entry) => entry.type !== "call" || isOver(entry.call.state)),
});

/** A message or a command as the person typed it. */
export function typedRows(text: string, width: number): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      rows(visibleText(line), { first: index === 0 ? "> " : "  ", next: "  " }, width),
    );
}

/** How to go on with a conversation that was left. */
export function resumeHint(
  sessionId: string,
  { agent, url }: { readonly agent?: string; readonly url?: string },
): string {
  const how = url === undefined ? (agent === undefined ? "" : ` --agent '${agent}'`) : ` --url ${url}`;
  return `Go on with it: toolgate chat${visibleText(how)} --resume ${visibleText(url === undefined ? shortId(sessionId) : sessionId)}`;
}
