/**
 * A session on another server. AAP events become session events in the same fold, so that they are shown and written
 * like our own. Nothing is invented that the server does not send: a call runs until its result arrives, and its kind is
 * only inferred.
 */
import type { MessageContent, ToolUseBlock, TurnEvent } from "../aap/client/index.js";
import {
  createToolTitle,
  inferToolKind,
  isOver,
  isYes,
  SessionBook,
  shownQuestion,
  textContent,
} from "../call/index.js";
import type { Answer, Question, QuestionOption, SessionEvent, ShownQuestion } from "../call/index.js";

type Listener = (events: readonly SessionEvent[]) => void;
/** An event without its time. */
type Untimed = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, "at">
    : never
  : never;

const OPTIONS: Question["options"] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

const REFUSED = { type: "refused" } as const;

export class RemoteSession {
  readonly book: SessionBook;
  readonly #listeners = new Set<Listener>();
  /** The number of the assistant's current message. */
  #message = 0;
  #turn = 0;

  constructor(readonly sessionId: string) {
    this.book = new SessionBook(sessionId);
  }

  readonly now = (): number => Date.now();

  get #turnId(): string {
    return `turn_${this.#turn}`;
  }

  onRecorded(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records the prompt; empty when a parked turn resumes. */
  begin(message: MessageContent): void {
    const prompt =
      typeof message === "string"
        ? message
        : message.map((block) => (block.type === "text" ? block.text : "")).join("");
    this.#turn += 1;
    this.#message += 1;
    this.#record([{ type: "turn-started", turnId: this.#turnId }]);
    if (prompt !== "") this.#addChunk("user", prompt);
  }

  read(event: TurnEvent): void {
    switch (event.event) {
      case "turn_start":
        if (this.book.turn?.state.status === "parked")
          this.#record([{ type: "turn-resumed", turnId: this.#turnId }]);
        this.#message += 1;
        break;
      case "text_delta":
      case "thinking_delta":
        this.#addChunk(event.event === "text_delta" ? "agent" : "thought", event.data.delta);
        break;
      case "text":
        this.#addChunk("agent", event.data.text);
        break;
      case "thinking":
        this.#addChunk("thought", event.data.thinking);
        break;
      case "answer_cut_off":
        this.#message += 1;
        break;
      case "tool_call":
        this.announce({ type: "tool_use", ...event.data });
        break;
      case "tool_result":
        this.#end(event.data);
        break;
      case "turn_stop":
        this.#stop(event.data);
        break;
      default:
        // An event type of a newer server.
        break;
    }
  }

  /** Records a call once, however often the server sends it. */
  announce({ toolCallId, name, input }: ToolUseBlock): void {
    if (this.book.call(toolCallId)) return;
    this.#message += 1;
    const { kind, source } = inferToolKind(name, input);
    const title = createToolTitle(name, input);
    this.#record([
      { type: "call-announced", toolCallId, name, title, kind, kindSource: source },
      { type: "input-ready", toolCallId, rawInput: input },
    ]);
  }

  /** `offer`: a further answer. Undefined when the call can no longer be asked about. */
  ask(call: ToolUseBlock, offer?: QuestionOption): ShownQuestion | undefined {
    this.announce(call);
    const { toolCallId, name, input } = call;
    const known = this.book.call(toolCallId);
    if (known?.state.status !== "ready") return undefined;
    const question: Question = {
      questionId: `question_${toolCallId}`,
      sessionId: this.sessionId,
      toolCallId,
      intentHash: "",
      title: known.title,
      about: [`input: ${name} ${JSON.stringify(input, undefined, 2)}`],
      options: offer ? [...OPTIONS, offer] : OPTIONS,
      askedAt: this.now(),
    };
    this.#record([{ type: "question-asked", toolCallId, question }]);
    return shownQuestion(question, known);
  }

  /** Returns true for a yes. */
  answer(question: Question, given: Omit<Answer, "intentHash" | "at">): boolean {
    const { questionId, toolCallId, intentHash } = question;
    const answer = { ...given, intentHash, at: this.now() };
    const { by, who, rule, reason } = answer;
    const decision = {
      by,
      at: answer.at,
      ...(who !== undefined && { who }),
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
    };
    const isAllowed = isYes(question, answer);
    this.#record([
      { type: "question-answered", questionId, answer },
      { type: isAllowed ? "call-cleared" : "call-refused", toolCallId, decision },
    ]);
    return isAllowed;
  }

  /** Records somebody else's answer, which names the server's own options. */
  answerAs(question: Question, answer: Answer, granted: boolean): void {
    const allow = question.options.find(({ kind }) => kind === "allow_once");
    const outcome = granted && allow ? ({ type: "selected", optionId: allow.optionId } as const) : REFUSED;
    this.answer(question, { ...answer, outcome });
  }

  /** The answers were sent to the server, which now runs the allowed calls. */
  submit(): void {
    this.#record(
      this.book
        .openCalls()
        .filter(({ state }) => state.status === "cleared")
        .map(({ toolCallId }) => ({ type: "run-started", toolCallId })),
    );
  }

  /** No more events will arrive: open calls are closed with an assumed end. */
  leave(stopReason: "cancelled" | "error"): void {
    if (this.book.turn?.state.status === "stopped") return;
    this.#stop({ stopReason });
  }

  #addChunk(role: "user" | "agent" | "thought", text: string): void {
    const messageId = `message_${this.#message}${role === "agent" ? "" : `-${role}`}`;
    this.#record([{ type: "message-chunk", messageId, role, block: { type: "text", text } }]);
  }

  #end({ toolCallId, content, isError }: (TurnEvent & { event: "tool_result" })["data"]): void {
    const call = this.book.call(toolCallId);
    // An earlier event ended it, or it was refused here: its end is shown already.
    if (!call || isOver(call.state)) return;
    this.#message += 1;
    const text =
      typeof content === "string"
        ? content
        : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
    const start: readonly Untimed[] =
      call.state.status === "running"
        ? []
        : [
            { type: "call-cleared", toolCallId },
            { type: "run-started", toolCallId },
          ];
    this.#record([
      ...start,
      isError
        ? { type: "call-failed", toolCallId, error: text }
        : { type: "call-done", toolCallId, rawOutput: content, content: [textContent(text)] },
    ]);
  }

  #stop({ stopReason, error }: Stop): void {
    if (stopReason === "tool_use") return this.#record([{ type: "turn-parked", turnId: this.#turnId }]);
    const reason = stopReason === "cancelled" ? "the turn was cancelled." : "the server sent no result.";
    const withdrawn = this.book
      .openCalls()
      .flatMap(({ state }) =>
        state.status === "waiting" && state.waitingFor.type === "question"
          ? [{ type: "question-withdrawn", questionId: state.waitingFor.questionId, reason } as const]
          : [],
      );
    const ended = this.book
      .openCalls()
      .map(({ toolCallId }) => ({ type: "call-cancelled", toolCallId, reason, assumed: true }) as const);
    const stopped = {
      type: "turn-stopped",
      turnId: this.#turnId,
      stopReason,
      ...(error !== undefined && { error }),
    } as const;
    this.#record([...withdrawn, ...ended, stopped]);
  }

  #record(untimed: readonly Untimed[]): void {
    const at = this.now();
    const events: readonly SessionEvent[] = untimed.map((event) => ({ ...event, at }));
    this.book.applyAll(events);
    for (const listener of this.#listeners) listener(events);
  }
}

type Stop = {
  readonly stopReason: (TurnEvent & { event: "turn_stop" })["data"]["stopReason"] | "cancelled";
  readonly error?: string;
};
