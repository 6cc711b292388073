/** An event as it is stored: its text, and the parsed event if it is about a question. */
import type { SessionEvent } from "../../call/index.js";
import type { QuestionEvent } from "../question-state.js";
import { isAboutQuestion } from "../question-state.js";
import { jsonText } from "../stored-json.js";

export type StoredEvent = { readonly text: string; readonly question: QuestionEvent | undefined };

export function storedEvent(event: SessionEvent, sessionId: string): StoredEvent {
  const text = jsonText(event, `Session ${sessionId}`, event.type);
  // The text decides, because an event with a `toJSON` of its own may become another one; and most
  // events, some of them long, need not be read back for that.
  if (!text.includes('"question-')) return { text, question: undefined };
  const read = JSON.parse(text) as SessionEvent;
  return { text, question: isAboutQuestion(read) ? read : undefined };
}
