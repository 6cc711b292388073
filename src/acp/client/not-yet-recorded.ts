/** The book, and what was read and is not yet recorded: a reader must see the effect of each message before it reads the next. */
import { applyEvent } from "../../call/index.js";
import type { AskedQuestion, SessionBook, SessionEvent, ToolCall } from "../../call/index.js";
import type { SessionSoFar } from "../reading.js";

export class NotYetRecorded implements SessionSoFar {
  readonly #book: SessionBook;
  readonly #calls = new Map<string, ToolCall>();
  readonly #questions = new Map<string, AskedQuestion>();

  constructor(book: SessionBook) {
    this.#book = book;
  }

  get sessionId(): string {
    return this.#book.sessionId;
  }

  call(toolCallId: string): ToolCall | undefined {
    return this.#calls.get(toolCallId) ?? this.#book.call(toolCallId);
  }

  question(questionId: string): AskedQuestion | undefined {
    return this.#questions.get(questionId) ?? this.#book.question(questionId);
  }

  apply(event: SessionEvent): void {
    if ("toolCallId" in event) {
      this.#calls.set(event.toolCallId, applyEvent(this.call(event.toolCallId), event));
      if (event.type === "question-asked")
        this.#questions.set(event.question.questionId, {
          question: event.question,
          state: { status: "open" },
        });
    } else if (event.type === "question-withdrawn") {
      const asked = this.question(event.questionId);
      if (asked)
        this.#questions.set(event.questionId, {
          question: asked.question,
          state: { status: "withdrawn", reason: event.reason, at: event.at },
        });
    }
  }

  forget(): void {
    this.#calls.clear();
    this.#questions.clear();
  }
}
