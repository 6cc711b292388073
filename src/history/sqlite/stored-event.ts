/**
 * An event as it is stored: its text, the parsed event if it is about a question, and its link in the chain.
 *
 * The chain makes a change of the recorded events visible: each event's link is the SHA-256 of the
 * link before it, the event's number and its text. The chain reveals changes by accident or by hand; a process
 * that can write the file can also write a new chain, unless someone keeps a link elsewhere.
 */
import type { SessionEvent } from "../../call/index.js";
import type { QuestionEvent } from "../question-state.js";
import { isAboutQuestion } from "../question-state.js";
import { jsonText } from "../stored-json.js";
import { hash } from "node:crypto";

export type StoredEvent = { readonly text: string; readonly question: QuestionEvent | undefined };

export function storedEvent(event: SessionEvent, sessionId: string): StoredEvent {
  const text = jsonText(event, `Session ${sessionId}`, event.type);
  // The text decides, because an event with a `toJSON` of its own may become another one; and most
  // events, some of them long, need not be read back for that.
  if (!text.includes('"question-')) return { text, question: undefined };
  const read = JSON.parse(text) as SessionEvent;
  return { text, question: isAboutQuestion(read) ? read : undefined };
}

/** The link before the first event. The session's id is in it, so that another session's events do not fit. */
export function chainStart(sessionId: string): string {
  return `toolgate session ${JSON.stringify(sessionId)}`;
}

export function nextLink(link: string, seq: number, text: string): string {
  return hash("sha256", `${link}\n${seq}\n${text}`);
}
