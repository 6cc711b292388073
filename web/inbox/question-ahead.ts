/** Reads a question as soon as its row comes over the stream: the view that opens it finds it on its way. */
import type { LiveFrame, QuestionDetail } from "toolgate/serve/client";
import { api } from "../api.js";

let ahead: { readonly questionId: string; readonly detail: Promise<QuestionDetail> } | undefined;

const EMPTY: ReadonlySet<string> = new Set(["/", "/inbox"]);

/** Only on the inbox, which opens the question of an empty list by itself. */
export function readAhead(frame: LiveFrame): void {
  if (frame.type !== "question" || frame.change !== "asked" || !EMPTY.has(location.pathname)) return;
  const { questionId } = frame.question;
  const detail = api.question(questionId);
  // The view that takes it shows the error.
  detail.catch(() => undefined);
  ahead = { questionId, detail };
}

/** Once: a question that changed is read again. */
export function readQuestion(questionId: string): Promise<QuestionDetail> {
  const taken = ahead?.questionId === questionId ? ahead.detail : undefined;
  ahead = undefined;
  return taken ?? api.question(questionId);
}
