/** Sends an answer once, and says what became of it. */
import { useRef, useState } from "preact/hooks";
import type { AnswerRequest, Answered } from "toolgate/serve/client";
import { api, errorText, problemOf } from "../api.js";
import { showToast } from "../parts/toast.js";
import { counted } from "../words.js";

export type Answering = {
  readonly isSending: boolean;
  readonly send: (questionId: string, request: AnswerRequest) => Promise<void>;
};

/** `onEnd` is called also when the answer was not taken: the question is to be read again. */
export function useAnswer(onEnd: (isTaken: boolean) => void): Answering {
  const isBusy = useRef(false);
  const [isSending, setSending] = useState(false);
  const send = async (questionId: string, request: AnswerRequest): Promise<void> => {
    // A second click or key before the first answer is back is not a second answer.
    if (isBusy.current) return;
    isBusy.current = true;
    setSending(true);
    try {
      const answered = await api.answer(questionId, request);
      showToast(
        answeredWords(answered),
        answered.notStored !== undefined
          ? "failed"
          : request.reply === "no" || request.reply === "never"
            ? "refused"
            : "done",
      );
      onEnd(true);
    } catch (error) {
      showToast(`${notTaken(error)} ${errorText(error)}`, "failed");
      onEnd(false);
    } finally {
      isBusy.current = false;
      setSending(false);
    }
  };
  return { isSending, send };
}

const notTaken = (error: unknown): string =>
  problemOf(error) === "ALREADY_ANSWERED" ? "Another answer came first." : "Your answer was not taken.";

function answeredWords({ words, alike, notTaken: left, counted: isCounted, notStored }: Answered): string {
  const first = words.charAt(0).toUpperCase() + words.slice(1);
  return [
    `${first}${alike.length > 0 ? `, and ${counted(alike.length, "other")}` : ""}.`,
    isCounted ? "" : "Another answer came first.",
    notStored === undefined ? "" : `The answer holds for this once: its rule was not stored, ${notStored}.`,
    left.length > 0 ? `${counted(left.length, "question")} did not take it: ${left[0]?.why ?? ""}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}
